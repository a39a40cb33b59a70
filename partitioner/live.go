package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// live finds the values that frames hold: those of cut points, and those read in a later block than the one
// that computes them, by a command, or, for a child, by the parent. A trigger has no value; only its arrival
// matters.
func (b *body) live() {
	b.module.Fields = b.fields(nil)
	for _, g := range b.gathers {
		var folded []*ir.Value
		for n, h := range b.foldOf {
			if h == g {
				folded = append(folded, reads(n)...)
			}
		}
		g.child.module.Fields = g.child.fields(folded)
	}
}

// fields returns the values that a frame of the module holds, including those that the parent reads.
func (b *body) fields(others []*ir.Value) []*ir.Value {
	needed := map[*ir.Value]bool{}
	for _, v := range others {
		needed[v] = true
	}
	for _, blk := range b.module.Blocks {
		here := defined(blk)
		for _, s := range blk.Steps {
			later := s.Cut != nil && s.Cut.Kind == Command
			for _, v := range s.needs() {
				if later || !here[v] {
					needed[v] = true
				}
			}
		}
	}
	var out []*ir.Value
	add := func(v *ir.Value) {
		if needed[v] && !peer.IsTrigger(v) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for _, c := range b.module.Cuts {
		for _, v := range c.Values {
			needed[v] = needed[v] || c.Kind == Input // the next round or a snapshot reads it
			add(v)
		}
	}
	for _, n := range b.nodes {
		if b.outside(n) || op.PeerKindOf(n) == op.KindRecv || b.foldOf[n] != nil {
			continue
		}
		for _, v := range n.Out {
			add(v)
		}
	}
	return out
}

// defined returns the values that a block computes directly.
func defined(blk *Block) map[*ir.Value]bool {
	out := map[*ir.Value]bool{}
	for _, s := range blk.Steps {
		switch {
		case s.Cut != nil && s.Cut.Kind != Gather:
		case s.Compute != nil:
			for _, v := range s.Compute.Outs {
				out[v] = true
			}
		case s.Node != nil:
			for _, v := range s.Node.Out {
				out[v] = true
			}
		}
	}
	return out
}
