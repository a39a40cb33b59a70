package codegen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// emitWeights emits the constants: a field each, read from the embedded file.
func (e *emitter) emitWeights(f *jen.File) {
	size := e.p.WeightBytes()
	f.Anon("embed")
	f.Comment("weightsFile holds the constants in the layouts that the kernels read.")
	f.Comment("")
	f.Comment("//go:embed weights.bin")
	f.Var().Id("weightsFile").String()
	f.Comment(fmt.Sprintf("weightBytes is the size of the file: %d constants.", len(e.p.Weights)))
	f.Const().Id("weightBytes").Op("=").Lit(size)
	f.Comment("weights are the constants of the model. They are only read.")
	f.Type().Id("weights").StructFunc(func(g *jen.Group) {
		for _, w := range e.p.Weights {
			g.Id(e.consts[w]).Index().Add(emitElem(w.Data.DType)).Comment(fmt.Sprintf("%s %v", w.Data.DType, w.Data.Shape))
		}
	})
	f.Comment("load makes each constant a view of the embedded file.")
	f.Func().Params(jen.Id("w").Op("*").Id("weights")).Id("load").Params().Error().BlockFunc(func(g *jen.Group) {
		g.If(jen.Len(jen.Id("weightsFile")).Op("!=").Id("weightBytes")).Block(
			jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit("weights.bin has %d bytes, want %d: it belongs to other code"), jen.Len(jen.Id("weightsFile")), jen.Id("weightBytes"))),
		)
		if slices.ContainsFunc(e.p.Weights, func(w *plan.Weight) bool { return w.Off >= 0 }) {
			g.Id("b").Op(":=").Qual(pkgTensor, "Embedded").Call(jen.Id("weightsFile"))
		}
		for _, w := range e.p.Weights {
			dst := jen.Id("w").Dot(e.consts[w]).Op("=")
			if w.Off < 0 {
				g.Add(dst).Index().String().ValuesFunc(func(g *jen.Group) {
					for _, s := range tensor.Data[string](w.Data) {
						g.Lit(s)
					}
				})
				continue
			}
			g.Add(dst).Qual(pkgTensor, "View").Index(emitElem(w.Data.DType)).Call(jen.Id("b"), jen.Lit(w.Off), jen.Lit(w.Data.Len()))
		}
		g.Return(jen.Nil())
	})
}
