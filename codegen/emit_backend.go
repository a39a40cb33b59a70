package codegen

import (
	"bytes"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// graph is an ONNX model that a backend is given.
type graph struct {
	slot  string
	index int // among those of the slot
	model []byte
	off   int // in weights.bin
}

// addGraphs numbers the graphs that backends run.
func (e *partitionEmitter) addGraphs() {
	count := map[string]int{}
	for _, m := range e.Modules {
		for _, b := range m.Blocks {
			for _, s := range b.Steps {
				if p := peerOp(s.Node); p == nil || !p.Graph || e.graphOf(s.Node) != nil {
					continue
				}
				slot := s.Node.Str(op.SlotAttr)
				e.graphs = append(e.graphs, &graph{slot: slot, index: count[slot], model: modelOf(s.Node)})
				count[slot]++
			}
		}
	}
}

// modelOf is the ONNX model that a node has a backend compute.
func modelOf(n *ir.Node) []byte {
	t, ok := n.Attrs.Lookup("graph").(*tensor.Tensor)
	if !ok || t.DType != tensor.Uint8 {
		return nil
	}
	return tensor.Data[uint8](t)
}

func (e *partitionEmitter) graphOf(n *ir.Node) *graph {
	for _, g := range e.graphs {
		if g.slot == n.Str(op.SlotAttr) && bytes.Equal(g.model, modelOf(n)) {
			return g
		}
	}
	return nil
}

// emitGraphs emits that backends are given their graphs:
//
//	if err := p.engine.Load(0, b[64:1064]); err != nil {
func (e *partitionEmitter) emitGraphs(g *jen.Group) {
	for _, x := range e.graphs {
		from := jen.Id("b").Index(jen.Lit(x.off).Op(":").Lit(x.off + len(x.model)).Op(":").Lit(x.off + len(x.model)))
		g.If(jen.Err().Op(":=").Id("p").Dot(e.slots[x.slot].field).Dot("Load").Call(jen.Lit(x.index), from), jen.Err().Op("!=").Nil()).Block(
			jen.Return(jen.Nil(), jen.Qual("fmt", "Errorf").Call(jen.Lit("slot "+x.slot+": graph %d: %w"), jen.Lit(x.index), jen.Err())),
		)
	}
}

// emitRunGraph emits that a backend computes a graph:
//
//	if err := f.peer.engine.Run(f.peer.env.Done(), 0, f.x.Tensor()); err != nil {
//		return err
//	}
//	if err := runtime.Retrieve(&f.y, &f.peer.engine, 0, 0, runtime.Open, 10); err != nil {
//		return err
//	}
func (f *frameEmitter) emitRunGraph(g *jen.Group, n *ir.Node) {
	engine := func() *jen.Statement { return jen.Id("f").Dot("peer").Dot(f.e.slotOf(n).field) }
	index := f.e.graphOf(n).index
	args := []jen.Code{jen.Id("f").Dot("peer").Dot("env").Dot("Done").Call(), jen.Lit(index)}
	for _, v := range n.In {
		if isScalar(v.Type) {
			args = append(args, jen.Qual(pkgTensor, "Of").Call(jen.Index().Add(emitElem(v.Type.Elem)).Values(f.emitRef(v))))
		} else {
			args = append(args, f.emitRef(v).Dot("Lend").Call())
		}
	}
	emitIfErr(g, engine().Dot("Run").Call(args...))
	for i, v := range n.Out {
		if v == nil || f.fields[v] == "" {
			continue
		}
		get, dims := "Retrieve", emitOpenDims(v.Type)
		if isScalar(v.Type) {
			get = "RetrieveScalar"
		}
		args := append([]jen.Code{jen.Op("&").Add(f.emitOwn("f", v)), jen.Op("&").Add(engine()), jen.Lit(index), jen.Lit(i)}, dims...)
		emitIfErr(g, jen.Qual(pkgRuntime, get).Call(args...))
	}
}
