package shard

import (
	"fmt"
	"io/fs"
	"strings"
)

// byWriter distributes the writers to the peers, in the order of their first examples in the random order.
func (d *division) byWriter() ([][]int, error) {
	b, err := fs.ReadFile(d.files, d.Writers)
	if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	if len(names) != len(d.order) {
		return nil, fmt.Errorf("%s names the writers of %d examples, want %d, one on each line", d.Writers, len(names), len(d.order))
	}
	shares := make([][]int, d.peers)
	peer := map[string]int{}
	for _, i := range d.order {
		rank, known := peer[names[i]]
		if !known {
			rank = len(peer) % d.peers
			peer[names[i]] = rank
		}
		shares[rank] = append(shares[rank], i)
	}
	if len(peer) < d.peers {
		return nil, fmt.Errorf("%s names %d writers, want one for each of %d peers at least", d.Writers, len(peer), d.peers)
	}
	return shares, nil
}
