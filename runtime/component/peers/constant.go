package peers

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Constant is a fixed list of peers of a class, by rank. With Ring the numbers are relative to the peer's own
// rank, around the class: 1 is the next one, -1 the one before.
type Constant struct {
	Class string
	Ranks []int
	Ring  bool
}

// Open checks the configuration.
func (c *Constant) Open(runtime.Env) error {
	if c.Class == "" || len(c.Ranks) == 0 {
		return fmt.Errorf("peers.Constant: class %q, ranks %v: name those that it chooses; View has all of a class", c.Class, c.Ranks)
	}
	return nil
}

// CurrentView returns the listed peers that are admitted, in the order of the list, without duplicates and
// without the peer itself.
func (c *Constant) CurrentView(n runtime.Peer) ([]wire.PeerID, error) {
	all := n.Peers(nil, c.Class)
	self := slices.Index(all, n.Self())
	var list []wire.PeerID
	for _, rank := range c.Ranks {
		i := slices.IndexFunc(all, func(p wire.PeerID) bool { _, r, _ := n.ClassOf(p); return r == rank })
		if c.Ring && len(all) > 0 {
			i = ((self+rank)%len(all) + len(all)) % len(all)
		}
		if i >= 0 && i != self && !slices.Contains(list, all[i]) {
			list = append(list, all[i])
		}
	}
	return list, nil
}

// Select returns k of the peers: kind is "random", or "all".
func (c *Constant) Select(n runtime.Peer, kind string, k int) ([]wire.PeerID, error) {
	list, _ := c.CurrentView(n)
	return Select(n.Rand(), list, kind, k)
}

// Sample draws k of the peers.
func (c *Constant) Sample(n runtime.Peer, k int) ([]wire.PeerID, error) {
	return c.Select(n, "random", k)
}

// SelectNear returns the k peers nearest to a key, like [View.SelectNear].
func (c *Constant) SelectNear(n runtime.Peer, key tensor.Dense[uint8], k int) ([]wire.PeerID, error) {
	list, _ := c.CurrentView(n)
	return Nearest(list, key.Data, k), nil
}
