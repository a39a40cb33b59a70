package peerplan

import (
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

// model returns the value that a round began with and that the aggregate replaces in the next round, or nil.
func (f *Frame) model(fold *partitioner.Step) (model *ir.Value) {
	slot := f.Plan.SlotOf(fold.Node)
	f.eachStep(func(s *partitioner.Step) {
		if model != nil || s.Next != f.Module || s.Again {
			return
		}
		for k, v := range s.Node.In {
			if k > 0 && v != nil && op.PeerKindOf(v.Def) == op.KindGather && v == v.Def.Out[0] && f.Plan.SlotOf(v.Def) == slot {
				if x := f.Brings(f.Module.Inputs[k]); x != nil {
					model = x.Value
				}
				return
			}
		}
	})
	return model
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
