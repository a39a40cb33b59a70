package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// DCE removes nodes with unused outputs. Nodes with effects stay.
var DCE = &Pass{Name: "dce", Run: dce, After: []*Pass{Layout}}

func dce(_ *Context, m *ir.Module) error {
	live := map[*ir.Value]bool{}
	for _, v := range m.Main.Body.Results {
		live[v] = true
	}
	for _, s := range m.Main.State {
		live[s.Next] = true
	}
	sweep(m.Main.Body, live)
	return nil
}

// sweep keeps the nodes of r that define live values, from the last to the first, and marks their inputs as
// live.
func sweep(r *ir.Region, live map[*ir.Value]bool) {
	var kept []*ir.Node
	for _, n := range slices.Backward(r.Nodes) {
		if !needed(n, live) {
			continue
		}
		for _, v := range n.In {
			live[v] = true
		}
		for _, in := range n.Regions {
			for _, v := range in.Results {
				live[v] = true
			}
			sweep(in, live)
		}
		kept = append(kept, n)
	}
	slices.Reverse(kept)
	r.Nodes = kept
}

// needed reports whether a node defines a live value, or has an effect, itself or in one of its regions.
func needed(n *ir.Node, live map[*ir.Value]bool) bool {
	if o := op.Lookup(n); o == nil || o.Effect {
		return true
	}
	for _, v := range n.Out {
		if v != nil && live[v] {
			return true
		}
	}
	for _, in := range n.Regions {
		effect := false
		in.Walk(func(x *ir.Node) {
			if o := op.Lookup(x); o != nil && o.Effect {
				effect = true
			}
		})
		if effect {
			return true
		}
	}
	return false
}
