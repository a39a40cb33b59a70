package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
)

// emitGraphs emits code that loads graphs into backends:
//
//	if err := p.engine.Load(0, b[64:1064]); err != nil {
func (e *partitionEmitter) emitGraphs(g *jen.Group) {
	for _, x := range e.Graphs {
		from := jen.Id("b").Index(jen.Lit(x.Off).Op(":").Lit(x.Off + len(x.Model)).Op(":").Lit(x.Off + len(x.Model)))
		g.If(jen.Err().Op(":=").Id("p").Dot(e.Slot(x.Slot).Field).Dot("Load").Call(jen.Lit(x.Index), from), jen.Err().Op("!=").Nil()).Block(
			jen.Return(jen.Nil(), jen.Qual("fmt", "Errorf").Call(jen.Lit("slot "+x.Slot+": graph %d: %w"), jen.Lit(x.Index), jen.Err())),
		)
	}
}

// emitRunGraph emits code that computes a graph on a backend:
//
//	if err := f.peer.engine.Run(f.peer.env.Done(), 0, f.x.Tensor()); err != nil {
//		return err
//	}
//	if err := model.Retrieve(&f.y, &f.peer.engine, 0, 0, values.Open, 10); err != nil {
//		return err
//	}
func (f *frameEmitter) emitRunGraph(g *jen.Group, n *ir.Node) {
	engine := func() *jen.Statement { return jen.Id("f").Dot("peer").Dot(f.Plan.SlotOf(n).Field) }
	index := f.Plan.GraphOf(n).Index
	args := []jen.Code{jen.Id("f").Dot("peer").Dot("env").Dot("Done").Call(), jen.Lit(index)}
	for _, v := range n.In {
		if peerplan.IsScalar(v.Type) {
			args = append(args, jen.Qual(pkgTensor, "Of").Call(jen.Index().Add(emitElem(v.Type.Elem)).Values(f.emitRef(v))))
		} else {
			args = append(args, f.emitRef(v).Dot("Lend").Call())
		}
	}
	emitIfErr(g, engine().Dot("Run").Call(args...))
	for i, v := range n.Out {
		if !f.At(v).IsField() {
			continue
		}
		get, dims := "Retrieve", emitOpenDims(v.Type)
		if peerplan.IsScalar(v.Type) {
			get = "RetrieveScalar"
		}
		args := append([]jen.Code{jen.Op("&").Add(f.emitOwn("f", v)), jen.Op("&").Add(engine()), jen.Lit(index), jen.Lit(i)}, dims...)
		emitIfErr(g, jen.Qual(pkgModel, get).Call(args...))
	}
}
