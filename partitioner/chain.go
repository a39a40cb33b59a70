package partitioner

import (
	"cmp"
	"maps"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// chainKey identifies the target of calls: a slot, or named state of the engine.
type chainKey struct{ root, state, name string }

// chains lists the calls on each slot and on each state of the engine, in the order of recording, which is
// their order within an execution.
func (c *cutter) chains(nodes []*ir.Node) map[chainKey][]*ir.Node {
	out := map[chainKey][]*ir.Node{}
	for _, n := range nodes {
		for _, key := range c.chainKeys(n) {
			out[key] = append(out[key], n)
		}
	}
	return out
}

// chained returns the chains of all nodes of a class, when its loops have been split.
func (c *cutter) chained(k *class) map[chainKey][]*ir.Node {
	if k.calls == nil {
		k.calls = c.chains(k.nodes)
	}
	return k.calls
}

// chainKeys returns the targets of n. A call that takes its data from another slot calls both. A call that
// takes the state of slots is ordered between the calls on them.
func (c *cutter) chainKeys(n *ir.Node) []chainKey {
	var keys []chainKey
	if slot := n.Str(peer.SlotAttr); slot != "" {
		keys = append(keys, chainKey{root: c.root[n], name: slot})
	}
	if data := n.Str("data"); data != "" {
		keys = append(keys, chainKey{root: c.root[n], name: data})
	}
	for _, slot := range n.Strs(peer.SlotsAttr) {
		keys = append(keys, chainKey{root: c.root[n], name: slot})
	}
	if o := op.Lookup(n); o != nil && o.Peer != nil && o.Peer.State != "" {
		keys = append(keys, chainKey{state: o.Peer.State, name: n.Str(peer.NameAttr)})
	}
	return keys
}

func sortedKeys[V any](m map[chainKey]V) []chainKey {
	return slices.SortedFunc(maps.Keys(m), func(a, b chainKey) int {
		return cmp.Or(cmp.Compare(a.root, b.root), cmp.Compare(a.state, b.state), cmp.Compare(a.name, b.name))
	})
}
