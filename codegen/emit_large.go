package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
)

// foldOperands returns the operands of a fold. The first may be large, and is then read into memory:
//
//	update, err := c.update.Whole(&f.peer.update)
//	if err != nil {
//		return err
//	}
func (f *frameEmitter) foldOperands(g *jen.Group, n *ir.Node) []jen.Code {
	args := f.operands(n)
	v := n.In[0]
	switch stays, takes := f.child.stays(v), f.Plan.TakesLarge(n); {
	case stays && takes:
		args[0] = jen.Op("&").Add(args[0])
	case takes:
		args[0] = jen.Qual(pkgValues, "LargeOf").Call(args[0])
	case stays:
		name := f.names.Local(f.Plan.ValueName(v))
		g.List(jen.Id(name), jen.Err()).Op(":=").Add(args[0]).Dot("Whole").Call(jen.Op("&").Id("f").Dot("peer").Dot(f.Plan.WholeOf(v).Field))
		g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
		args[0] = jen.Id(name)
	}
	return args
}

// emitDrops emits code that drops fields which are unused after a block:
//
//	e.CountDropped(values.Drop(&f.params))
func (f *frameEmitter) emitDrops(g *jen.Group, b *peerplan.Block) {
	for _, x := range b.Drops {
		g.Id("e").Dot("CountDropped").Call(jen.Qual(pkgValues, "Drop").Call(jen.Op("&").Add(f.emitOwn("f", x.Value))))
	}
}
