package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
)

// emitShapes emits calls with which a block tells aggregators the expected shape, and lets them check the
// shape of contributions:
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
