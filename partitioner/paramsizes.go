package partitioner

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// ParameterSizes computes the values of symbols that are the sizes of models' parameters: in the results of
// Params, the arguments of LoadParameters and ApplyDelta, and the same vectors at the other end of an edge
// and in the next round. The function count returns the number of parameters of the model in a slot, or an
// error. Sizes in said are given by the user. Unknown lists the slots with sizes that remain open.
//
// Likely has sizes that follow if a component of the author's returns a vector as long as its first argument, as those do
// that correct, mask or change a vector.
func ParameterSizes(p *Program, said map[string]int, count func(*Partition, *Slot) (int, error)) (known, likely map[string]int, unknown []string) {
	s := &paramSizes{count: count, counts: map[*Slot]counted{}, known: map[string]int{}, said: said}
	for _, part := range p.Parts {
		for _, m := range part.Modules {
			s.module(part, m)
		}
	}
	for s.solve() {
	}
	unknown = s.open()
	known = maps.Clone(s.known)
	s.same = append(s.same, s.similar...)
	for s.solve() {
	}
	maps.DeleteFunc(s.known, func(sym string, _ int) bool { _, sure := known[sym]; return sure })
	return known, s.known, unknown
}

// paramSizes collects equal sizes, and solves for the unknown ones.
type paramSizes struct {
	count       func(*Partition, *Slot) (int, error)
	counts      map[*Slot]counted
	calls       []modelCall
	coded       []coded
	same        [][2]ir.Dim
	similar     [][2]ir.Dim // sizes that are probably equal
	known, said map[string]int
}

type counted struct {
	n   int
	err error
}

// modelCall is a call that takes or returns the parameters of the model in a slot.
type modelCall struct {
	part *Partition
	slot *Slot
	size ir.Dim
}

// coded is a call of a codec with a known encoded size.
type coded struct {
	value ir.Type
	size  ir.Dim // of the encoded value
	bytes func(elements int) int
}

func (s *paramSizes) module(p *Partition, m *Module) {
	for _, c := range m.Cuts {
		if c.Kind == Fill && len(c.Values) > 0 {
			s.equal(c.Edge.Type, c.Values[0])
		}
	}
	for _, b := range m.Blocks {
		for _, step := range b.Steps {
			s.step(p, step)
		}
	}
}

func (s *paramSizes) step(p *Partition, step Step) {
	n := step.Node
	if n == nil {
		return
	}
	if step.Edge != nil {
		s.equal(step.Edge.Type, n.In[0])
	}
	if step.Next != nil && step.Next.Open != nil {
		for i, v := range step.Next.Open.Out[:min(len(n.In), len(step.Next.Open.Out))] {
			if n.In[i] != nil {
				s.equal(n.In[i].Type, v)
			}
		}
	}
	s.encode(p, n)
	if o := op.Lookup(n); o.Peer != nil && o.Peer.Kind == op.KindCall && o.Peer.Method == "" && len(n.In) > 0 && len(n.Out) > 0 && n.In[0] != nil { // a method of the author's
		s.similar = append(s.similar, equal(n.In[0].Type, n.Out[0])...)
	}
	switch use := op.ModelUseOf(n); {
	case use.Has(op.GivesParameters):
		s.call(p, n, n.Out[0])
	case use.Has(op.GivesBucket):
		s.bucket(p, n)
	case use.Has(op.TakesParameters):
		s.call(p, n, n.In[0])
	}
}

// equal records that a value has the same shape as one of type t.
func (s *paramSizes) equal(t ir.Type, v *ir.Value) { s.same = append(s.same, equal(t, v)...) }

// equal returns the pairs of sizes of a type and a value, if they have the same rank.
func equal(t ir.Type, v *ir.Value) (pairs [][2]ir.Dim) {
	if v == nil || !t.Ranked || !v.Type.Ranked || len(t.Shape) != len(v.Type.Shape) {
		return nil
	}
	for i, d := range t.Shape {
		pairs = append(pairs, [2]ir.Dim{d, v.Type.Shape[i]})
	}
	return pairs
}

// encode records the encoded size of a codec, if it declares one.
func (s *paramSizes) encode(p *Partition, n *ir.Node) {
	if o := op.Lookup(n); o.Peer == nil || !o.Peer.Encodes || !n.In[0].Type.Ranked || !n.Out[0].Type.Ranked || len(n.Out[0].Type.Shape) != 1 {
		return
	}
	for _, slot := range p.Slots {
		if slot.Name == n.Str(peer.SlotAttr) && slot.Binding != nil && slot.Binding.Encoded != nil {
			s.coded = append(s.coded, coded{n.In[0].Type, n.Out[0].Type.Shape[0], slot.Binding.Encoded.Bytes})
		}
	}
}

// slotOf returns the slot of a call whose vector v has a size that depends on the number of parameters of the model
// there, and that number. The slot is nil if v is no vector.
func (s *paramSizes) slotOf(p *Partition, n *ir.Node, v *ir.Value) (*Slot, counted) {
	i := slices.IndexFunc(p.Slots, func(t *Slot) bool { return t.Name == n.Str(peer.SlotAttr) })
	if i < 0 || v == nil || !v.Type.Ranked || len(v.Type.Shape) != 1 {
		return nil, counted{}
	}
	slot := p.Slots[i]
	c, asked := s.counts[slot]
	if !asked {
		c.n, c.err = s.count(p, slot)
		s.counts[slot] = c
	}
	return slot, c
}

// bucket records that a call returns a part of the gradients.
func (s *paramSizes) bucket(p *Partition, n *ir.Node) {
	slot, c := s.slotOf(p, n, n.Out[0])
	if slot == nil || c.err != nil {
		return
	}
	i, parts := peer.GradientBucket(n)
	from, to := c.n*i/parts, c.n*(i+1)/parts
	s.same = append(s.same, [2]ir.Dim{n.Out[0].Type.Shape[0], ir.C(to - from)})
}

// call records that v has the size of the model in a call's slot.
func (s *paramSizes) call(p *Partition, n *ir.Node, v *ir.Value) {
	slot, c := s.slotOf(p, n, v)
	if slot == nil {
		return
	}
	size := v.Type.Shape[0]
	if c.err == nil {
		s.same = append(s.same, [2]ir.Dim{size, ir.C(c.n)})
	}
	for _, other := range s.calls {
		if other.slot == slot {
			s.same = append(s.same, [2]ir.Dim{size, other.size})
		}
	}
	s.calls = append(s.calls, modelCall{p, slot, size})
}

// eval returns a size if all its symbols are known.
func (s *paramSizes) eval(d ir.Dim) (int, bool) {
	return d.Eval(func(sym string) (int, bool) {
		if n, ok := s.said[sym]; ok {
			return n, true
		}
		n, ok := s.known[sym]
		return n, ok
	})
}

// solve assigns known sizes to symbols that are equal to them. It reports whether there were any.
func (s *paramSizes) solve() (more bool) {
	for _, pair := range s.same {
		for i, d := range pair {
			sym, ok := d.Symbol()
			if _, have := s.eval(d); !ok || have {
				continue
			}
			if n, ok := s.eval(pair[1-i]); ok {
				s.known[sym], more = n, true
			}
		}
	}
	for _, c := range s.coded {
		sym, ok := c.size.Symbol()
		if _, have := s.eval(c.size); !ok || have {
			continue
		}
		if n, ok := s.eval(ir.Size(c.value.Shape)); ok {
			s.known[sym], more = c.bytes(n), true
		}
	}
	return more
}

// open lists the slots with calls of unknown size.
func (s *paramSizes) open() []string {
	var out []string
	seen := map[*Slot]bool{}
	for _, c := range s.calls {
		if _, ok := s.eval(c.size); ok || seen[c.slot] || s.counts[c.slot].err == nil {
			continue // the size of a value computed from parameters may be unknown
		}
		seen[c.slot] = true
		out = append(out, fmt.Sprintf("slot %q of %s: %v: say with --assume %s=N how many parameters it has", c.slot.Name, c.part.Class, s.counts[c.slot].err, c.size))
	}
	return out
}
