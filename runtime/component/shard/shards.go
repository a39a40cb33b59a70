package shard

import (
	"cmp"
	"fmt"
	"slices"
)

// byShards sorts the examples by label and gives each peer the same number of equal shards.
func (d *division) byShards() ([][]int, error) {
	if d.Shards > len(d.order)/d.peers { // their product may not fit an int
		return nil, fmt.Errorf("%d shards for each of %d peers, want at most one for each of %d examples", d.Shards, d.peers, len(d.order))
	}
	n := d.peers * d.Shards
	labels, err := d.labels()
	if err != nil {
		return nil, err
	}
	at := make([]int, len(d.order))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(labels[a], labels[b]) })
	shares := make([][]int, d.peers)
	for i, shard := range d.rand.Perm(n) {
		for _, k := range at[begin(len(at), shard, n):begin(len(at), shard+1, n)] {
			shares[i%d.peers] = append(shares[i%d.peers], d.order[k])
		}
	}
	return shares, nil
}
