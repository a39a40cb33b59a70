package peerplan

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner"
)

// In a loop that carries an aggregate from round to round, contributions have the shape of the value with
// which the round began. An aggregator that is a runtime.Shaped is told this shape before any peer is asked,
// and rejects other shapes when they arrive.

// addShapes finds the shapes that the blocks of a frame pass to aggregators.
func (f *Frame) addShapes() {
	for _, s := range f.shapedFolds() {
		if v := f.model(s); v != nil {
			if b := f.asks(s, v); b != nil {
				b.Tells = append(b.Tells, Shape{f.Plan.SlotOf(s.Node), v})
			}
		}
	}
	if f.Module.Parent == nil {
		return
	}
	for _, s := range f.Plan.frameOf[f.Module.Parent].shapedFolds() {
		if s.Fold != f.Module {
			continue
		}
		if b := f.arrivesIn(s.Node.In[0]); b != nil {
			b.Admits = append(b.Admits, Shape{f.Plan.SlotOf(s.Node), s.Node.In[0]})
		}
	}
}

// shapedFolds returns the steps that pass the peers' contributions to an aggregator that checks shapes.
func (f *Frame) shapedFolds() (list []*partitioner.Step) {
	f.eachStep(func(s *partitioner.Step) {
		if s.Fold != nil && f.Plan.SlotOf(s.Node).Shaped && !IsScalar(s.Node.In[0].Type) {
			list = append(list, s)
		}
	})
	return list
}

// model returns the value with which a round began and whose shape the contributions have, or nil. The
// aggregate replaces it in the next round, or is an operand of elementwise operators together with it, as a
// mean of changes that is added to the model.
func (f *Frame) model(fold *partitioner.Step) (model *ir.Value) {
	slot := f.Plan.SlotOf(fold.Node)
	f.eachStep(func(s *partitioner.Step) {
		if model != nil {
			return
		}
		for _, alike := range f.alike(s) {
			if slices.ContainsFunc(alike, func(v *ir.Value) bool { return f.aggregates(slot, v) }) {
				model = cmp.Or(model, f.begins(alike))
			}
		}
	})
	return model
}

// aggregates reports whether a value is the aggregate of a slot.
func (f *Frame) aggregates(slot *Slot, v *ir.Value) bool {
	return op.PeerKindOf(v.Def) == op.KindGather && v == v.Def.Out[0] && f.Plan.SlotOf(v.Def) == slot
}

// begins returns the first of the values with which the round began that are fields, or nil.
func (f *Frame) begins(list []*ir.Value) *ir.Value {
	for _, c := range f.Module.Inputs {
		if x := f.Brings(c); x != nil && slices.Contains(list, x.Value) {
			return x.Value
		}
	}
	return nil
}

// alike returns lists of values that have the same shape, as a step reads what was computed of them. A value
// that a Next carries has the shape of the one that it replaces.
func (f *Frame) alike(s *partitioner.Step) (lists [][]*ir.Value) {
	for _, v := range s.Reads() {
		lists = append(lists, operands(v, nil))
	}
	if c := s.Computation(); c != nil {
		for _, v := range c.Outs {
			lists = append(lists, operands(v, nil))
		}
	}
	if s.Next != f.Module || s.Again {
		return lists
	}
	for k, v := range s.Node.In {
		if k > 0 && v != nil {
			lists = append(lists, append(operands(v, nil), f.Module.Inputs[k].Values...))
		}
	}
	return lists
}

// operands adds v to a list, and the values of its rank of which elementwise operators have computed it.
func operands(v *ir.Value, list []*ir.Value) []*ir.Value {
	if v == nil || slices.Contains(list, v) {
		return list
	}
	list = append(list, v)
	if n := v.Def; n != nil && v == n.Out[0] && (op.Lookup(n).Broadcasts || op.Pointwise(n) || op.PeerKindOf(n) == op.KindOrder) {
		for _, x := range n.In {
			if x != nil && mayBeAlike(x.Type, v.Type) {
				list = operands(x, list)
			}
		}
	}
	return list
}

// mayBeAlike reports whether an operand may have the shape of a result: one that is known to have another is
// broadcast.
func mayBeAlike(x, y ir.Type) bool {
	if x.Kind != ir.Tensor || y.Kind != ir.Tensor || !x.Ranked || !y.Ranked || len(x.Shape) != len(y.Shape) {
		return false
	}
	for i, d := range x.Shape {
		m, known := d.Const()
		if n, ok := y.Shape[i].Const(); ok && known && m != n {
			return false
		}
	}
	return true
}

// asks returns the block that tells an aggregator the shape of a value: the one that asks the peers, or an
// earlier one that drops the value.
func (f *Frame) asks(fold *partitioner.Step, v *ir.Value) *Block {
	for _, b := range f.Blocks {
		asks := slices.ContainsFunc(b.Steps, func(s partitioner.Step) bool { return s.Cut != nil && s.Cut == fold.Fold.Gather })
		if asks || b.Block == f.at[v].Until {
			return b
		}
	}
	return nil
}

// arrivesIn returns the first block of a child frame in which a value is present: the block that waits for
// it, or the block that computes it.
func (f *Frame) arrivesIn(v *ir.Value) *Block {
	for _, b := range f.Blocks {
		if slices.ContainsFunc(b.Wait, func(c *partitioner.Cut) bool { return slices.Contains(c.Values, v) }) {
			return b
		}
	}
	for _, b := range f.Blocks {
		for _, s := range b.Steps {
			if s.Node != nil && slices.Contains(s.Node.Out, v) || s.Compute != nil && slices.Contains(s.Compute.Outs, v) {
				return b
			}
		}
	}
	return nil
}
