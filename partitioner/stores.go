package partitioner

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// stores checks that all nodes of a class that use one hold, queue or limit agree about it, and that something puts in
// what is taken out.
func (c *cutter) stores() {
	for _, k := range c.classes {
		first, given := map[chainKey]*ir.Node{}, map[chainKey]*ir.Node{}
		for _, n := range k.nodes {
			o := op.PeerOf(n)
			if o == nil || o.State == "" {
				continue
			}
			key := chainKey{state: o.State, name: n.Str(peer.NameAttr)}
			if givesStore(n) {
				if peer.IsTrigger(n.In[0]) {
					c.failf(n, "puts into %q that something was done, which is no value: put a value there that is computed then", key.name)
				}
				given[key] = n
			}
			if x := first[key]; x == nil {
				first[key] = n
			} else if err := sameStore(n, x); err != nil {
				c.failf(n, "uses %q in another way than %s (%s): %w", key.name, x, x.Pos, err)
			}
		}
		c.filled(k, given)
	}
}

// filled checks that nothing is taken from a hold or queue into which nothing is put: it would fail or wait each time.
func (c *cutter) filled(k *class, given map[chainKey]*ir.Node) {
	for _, n := range k.nodes {
		if v := stored(n); v == nil || givesStore(n) {
			continue
		}
		if key := (chainKey{state: op.PeerOf(n).State, name: n.Str(peer.NameAttr)}); given[key] == nil {
			c.failf(n, "takes from %q, into which nothing on %s puts a value", key.name, k.name)
		}
	}
}

// givesStore reports whether a node puts a value into a hold or a queue. One that takes a value out says of what type
// it is.
func givesStore(n *ir.Node) bool { return op.PeerOf(n).Held && !n.Has(peer.TypesAttr) }

// stored returns the value that a node puts into a hold or a queue or takes out of it, or nil if it does neither.
func stored(n *ir.Node) *ir.Value {
	switch o := op.PeerOf(n); {
	case o == nil || !o.Held:
		return nil
	case givesStore(n):
		return n.In[0]
	}
	return n.Res(0)
}

// sameStore returns an error if two nodes use one store in different ways.
func sameStore(n, x *ir.Node) error {
	if a, b := n.Int64("n"), x.Int64("n"); a != b {
		return fmt.Errorf("it has %d permits here, and %d there", a, b)
	}
	v, w := stored(n), stored(x)
	if v == nil || w == nil {
		return nil
	}
	if _, err := edgeType(v.Type, w.Type); err != nil {
		return fmt.Errorf("it holds %s here, and %s there: %w", v.Type, w.Type, err)
	}
	return nil
}
