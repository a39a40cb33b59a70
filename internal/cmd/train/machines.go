package train

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// readRoster reads the list of machines that train.
func readRoster(p *peers) (list []peer.Member, err error) {
	file := p.given
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, cli.Usagef("--%s: want a number of processes, or a file: %w", p.flag, err)
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("%s: want a list of peers, each with id, class, rank and addresses: %w", file, err)
	}
	for _, m := range list {
		if m.Class != p.class || len(m.Addresses) == 0 {
			return nil, fmt.Errorf("%s: peer %v is of class %q and has %d addresses, want class %q and an address", file, m.ID, m.Class, len(m.Addresses), p.class)
		}
	}
	if list == nil {
		return nil, fmt.Errorf("%s: names no peers", file)
	}
	return list, nil
}

// member returns the flags of this machine's peer.
func (p *peers) member() ([]string, error) {
	if p.key == "" {
		return nil, cli.Usagef("--%s %s: which of them is this machine? give --key FILE", p.flag, p.given)
	}
	key, err := peer.ReadKey(p.key)
	if err != nil {
		return nil, fmt.Errorf("--key: %w", err)
	}
	list, err := readRoster(p)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if m.ID == peer.IDOf(key) {
			args := []string{"-key", p.key, "-peers", p.given, "-rank", strconv.Itoa(m.Rank), "-listen", string(m.Addresses[0])}
			return append(args, p.shared()...), nil
		}
	}
	return nil, fmt.Errorf("%s: no peer has the key of %s, whose id is %v", p.given, p.key, peer.IDOf(key))
}
