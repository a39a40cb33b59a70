package peerplan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// Unshaped describes the edges on which peers contribute values of any size, once for each edge: neither does the program
// fix their size, nor is the aggregator told one. It begins with the author's file and line.
func (p *Plan) Unshaped() (notes []string) {
	var seen []*partitioner.Edge
	for _, f := range p.Frames {
		f.eachStep(func(s *partitioner.Step) {
			if s.Fold == nil || hasSize(s.Node.In[0].Type) {
				return
			}
			slot, c := f.Plan.SlotOf(s.Node), arrival(s)
			if c == nil || slices.Contains(seen, c.Edge) || slot.Shaped && f.model(s) != nil || !slot.Shaped && isLibrary(slot) {
				return
			}
			seen = append(seen, c.Edge)
			notes = append(notes, unshaped(c, slot))
		})
	}
	return notes
}

// isLibrary reports whether a component is one of bbgen's own. Those that are not told a shape check it themselves.
func isLibrary(s *Slot) bool {
	return strings.HasPrefix(s.Package, "github.com/bbgen/bbgen/runtime/component/")
}

// unshaped describes an edge whose values go to the aggregator in a slot.
func unshaped(c *partitioner.Cut, slot *Slot) string {
	why := "no value that rounds carry has it, so that the aggregator is told none"
	if !slot.Shaped {
		why = "the aggregator has no methods Expect and Admit, with which it would be told one"
	}
	return fmt.Sprintf("%s: peers may send values of any size on edge %s to slot %q: the program does not fix it, and %s; give its g.Input a size, as in dsl.Float32(100), and others are refused",
		cmp.Or(c.Node.Pos, c.Edge.Pos), c.Edge.Name, slot.Name, why)
}

// hasSize reports whether a value is no tensor, or one whose size the program fixes.
func hasSize(t ir.Type) bool {
	if t.Kind != ir.Tensor {
		return true
	}
	return t.Ranked && !slices.ContainsFunc(t.Shape, func(d ir.Dim) bool {
		_, fixed := d.Const()
		return !fixed
	})
}

// arrival returns the cut point at which the value of a Fold has arrived, or what it was computed of.
func arrival(fold *partitioner.Step) *partitioner.Cut {
	var seen []*ir.Value
	list := []*ir.Value{fold.Node.In[0]}
	for len(list) > 0 {
		v := list[0]
		list = list[1:]
		if v == nil || slices.Contains(seen, v) {
			continue
		}
		seen = append(seen, v)
		for _, c := range fold.Fold.Cuts {
			if c.Kind == partitioner.Fill && slices.Contains(c.Values, v) {
				return c
			}
		}
		if v.Def != nil {
			list = append(list, v.Def.In...)
		}
	}
	return nil
}
