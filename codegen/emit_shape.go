package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner"
)

// A loop that carries an aggregate from round to round says itself which shape
// contributions have: that of the value that the round began with. An aggregator that is
// a runtime.Shaped is told before anybody is asked, and refuses others when they come.

// emitShapes emits what a block tells aggregators of shapes.
func (f *frameEmitter) emitShapes(g *jen.Group, b *partitioner.Block) {
	for _, s := range f.folds() {
		if v := f.model(s); v != nil && f.tellsShape(s, v) == b {
			g.Id("f").Dot("peer").Dot(f.e.slotOf(s.Node).field).Dot("Expect").Call(f.emitRef(v).Dot("Shape"))
		}
	}
	if f.mod.Parent == nil {
		return
	}
	for _, s := range f.e.frameOf[f.mod.Parent].folds() {
		if v := s.Node.In[0]; s.Fold == f.mod && f.arrivesIn(v) == b {
			f.emitAdmit(g, s, v)
		}
	}
}

// emitAdmit emits the check of what a peer contributes, before it counts:
//
//	if err := f.peer.average.Admit(f.update.Shape()); err != nil {
//		return err
//	}
func (f *frameEmitter) emitAdmit(g *jen.Group, s *partitioner.Step, v *ir.Value) {
	shape := f.emitRef(v).Dot("Shape")
	if f.stays(v) {
		shape = shape.Call()
	}
	emitIfErr(g, jen.Id("f").Dot("peer").Dot(f.e.slotOf(s.Node).field).Dot("Admit").Call(shape))
}

// folds are the steps that give an aggregator that cares for shapes what each peer has
// sent.
func (f *frameEmitter) folds() (list []*partitioner.Step) {
	for _, b := range f.mod.Blocks {
		for i := range b.Steps {
			s := &b.Steps[i]
			if s.Fold != nil && f.e.slotOf(s.Node).Shaped && !isScalar(s.Node.In[0].Type) {
				list = append(list, s)
			}
		}
	}
	return list
}

// model is the value that a round began with whose place the aggregate takes in the next
// one; nil if there is none.
func (f *frameEmitter) model(fold *partitioner.Step) *ir.Value {
	slot := fold.Node.Str(op.SlotAttr)
	for _, b := range f.mod.Blocks {
		for i := range b.Steps {
			s := &b.Steps[i]
			if s.Next != f.mod || s.Again {
				continue
			}
			for k, v := range s.Node.In {
				if k > 0 && v != nil && kindOfValue(v) == op.KindGather && v == v.Def.Out[0] && v.Def.Str(op.SlotAttr) == slot {
					return f.value(f.mod.Inputs[k])
				}
			}
		}
	}
	return nil
}

// kindOfValue is the kind of the node that a value comes from.
func kindOfValue(v *ir.Value) op.PeerKind {
	if p := peerOp(v.Def); p != nil {
		return p.Kind
	}
	return 0
}

// tellsShape is the block that tells an aggregator the shape of a value: the one in which
// its peers are asked, or the one before that drops the value.
func (f *frameEmitter) tellsShape(fold *partitioner.Step, v *ir.Value) *partitioner.Block {
	drops := f.readBy(v)
	for _, b := range f.mod.Blocks {
		asks := slices.ContainsFunc(b.Steps, func(s partitioner.Step) bool { return s.Cut != nil && s.Cut == fold.Fold.Gather })
		if asks || b == drops {
			return b
		}
	}
	return nil
}

// arrivesIn is the block of a child frame in which a value is there first: that which
// waits for it, as for what a peer sends or a command computes, or that which computes it.
func (f *frameEmitter) arrivesIn(v *ir.Value) *partitioner.Block {
	waits := func(b *partitioner.Block) bool {
		return slices.ContainsFunc(b.Wait, func(c *partitioner.Cut) bool { return slices.Contains(c.Values, v) })
	}
	if i := slices.IndexFunc(f.mod.Blocks, waits); i >= 0 {
		return f.mod.Blocks[i]
	}
	for _, b := range f.mod.Blocks {
		for i := range b.Steps {
			s := &b.Steps[i]
			if s.Node != nil && slices.Contains(s.Node.Out, v) || s.Compute != nil && slices.Contains(s.Compute.Outs, v) {
				return b
			}
		}
	}
	return nil
}
