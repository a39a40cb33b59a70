package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
)

// emitShapes emits what a block tells aggregators of shapes, and what it has them check:
//
//	f.peer.average.Expect(f.params.Shape)
//	if err := f.peer.average.Admit(f.update.Shape()); err != nil {
//		return err
//	}
func (f *frameEmitter) emitShapes(g *jen.Group, b *peerplan.Block) {
	for _, x := range b.Tells {
		g.Id("f").Dot("peer").Dot(x.Slot.Field).Dot("Expect").Call(f.emitRef(x.Value).Dot("Shape"))
	}
	for _, x := range b.Admits {
		shape := f.emitRef(x.Value).Dot("Shape")
		if f.stays(x.Value) {
			shape = shape.Call()
		}
		emitIfErr(g, jen.Id("f").Dot("peer").Dot(x.Slot.Field).Dot("Admit").Call(shape))
	}
}

// stays reports whether a value of the frame is left where the host keeps it.
func (f *frameEmitter) stays(v *ir.Value) bool {
	x := f.At(v)
	return x != nil && x.Stays
}
