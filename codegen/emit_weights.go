package codegen

import (
	"cmp"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// emitWeights emits the constants: one field each, read from the embedded file.
func (e *emitter) emitWeights(f *jen.File) {
	size := e.p.WeightBytes()
	if !e.opt.Sidecar {
		emitWeightsFile(f, "holds the constants in the layouts that the kernels read")
	}
	f.Comment(fmt.Sprintf("weightBytes is the size of the file: %d constants.", len(e.p.Weights)))
	f.Const().Id("weightBytes").Op("=").Lit(size)
	e.emitConstants(f)
}

// emitWeightsFile emits the variable with the content of weights.bin.
func emitWeightsFile(f *jen.File, what string) {
	f.Anon("embed")
	f.Comment("weightsFile " + what + ".")
	f.Comment("")
	f.Comment("//go:embed weights.bin")
	f.Var().Id("weightsFile").String()
}

// subject names what has the constants: the model, the step, or compute0.
func (e *emitter) subject() string {
	if e.part != "" && !e.trains {
		return e.part
	}
	return "the " + cmp.Or(e.part, "model")
}

// emitConstants emits the types of the constants and the code that loads them.
func (e *emitter) emitConstants(f *jen.File) {
	f.Comment(e.name("weights") + " are the constants of " + e.subject() + ". They are only read.")
	f.Type().Id(e.name("weights")).StructFunc(func(g *jen.Group) {
		for _, b := range e.weighted() {
			g.Id(e.blocks[b].fn).Index(jen.Lit(b.Count)).Id(e.blocks[b].fn + "Weights")
		}
		for _, w := range e.p.Weights {
			if name := e.consts[w]; name != "" {
				emitWeightField(g, name, w)
			}
		}
	})
	for _, b := range e.weighted() {
		n := e.blocks[b]
		f.Comment(fmt.Sprintf("%sWeights are the constants of one of %d blocks.", n.fn, b.Count))
		f.Type().Id(n.fn + "Weights").StructFunc(func(g *jen.Group) {
			for i, w := range b.Weights[0] {
				emitWeightField(g, n.consts[b.Consts[i]], w)
			}
		})
	}
	f.Comment("load makes each constant a view of b, the content of the weights file.")
	load := f.Func().Params(jen.Id("w").Op("*").Id(e.name("weights"))).Id("load").Params(jen.Id("b").Index().Byte())
	if e.part == "" {
		load.Error()
	}
	load.BlockFunc(func(g *jen.Group) {
		if e.part == "" { // a trainer checks the file as a whole
			emitWeightCheck(g, jen.Return)
		}
		for _, w := range e.p.Weights {
			if name := e.consts[w]; name != "" {
				e.emitLoadWeight(g, jen.Id("w").Dot(name), w)
			}
		}
		for _, b := range e.weighted() {
			n := e.blocks[b]
			for k, ws := range b.Weights {
				for i, w := range ws { // one weight may have several fields
					e.emitLoadWeight(g, jen.Id("w").Dot(n.fn).Index(jen.Lit(k)).Dot(n.consts[b.Consts[i]]), w)
				}
			}
		}
		if e.part == "" {
			g.Return(jen.Nil())
		}
	})
}

// emitWeightCheck emits the check that b is the weights file of this code.
func emitWeightCheck(g *jen.Group, fail func(err ...jen.Code) *jen.Statement) {
	g.If(jen.Len(jen.Id("b")).Op("!=").Id("weightBytes")).Block(
		fail(jen.Qual("fmt", "Errorf").Call(jen.Lit("the weights have %d bytes, want %d: they belong to other code"), jen.Len(jen.Id("b")), jen.Id("weightBytes"))),
	)
}

// emitWeightField emits a field of a struct of constants.
func emitWeightField(g *jen.Group, name string, w *plan.Weight) {
	of := ""
	if w.Maker != "" {
		of = w.Maker + " of "
	}
	g.Id(name).Index().Add(emitElem(w.Data.DType)).Comment(fmt.Sprintf("%s%s %v", of, w.Data.DType, w.Data.Shape))
}

// emitLoadWeight emits the assignment of one constant:
//
//	w.bias = tensor.View[float32](b, 4096, 64)
//
// Constants stored in a shorter form are unpacked:
//
//	w.bias = tensor.Runs[float32](b, 4096, 64)
//
// Kernels may read a value derived from a constant:
//
//	w.filters = cpu.WinogradFilters32(tensor.View[float32](b, 4096, 36864), 64, 64)
func (e *emitter) emitLoadWeight(g *jen.Group, dst *jen.Statement, w *plan.Weight) {
	if w.Off < 0 {
		g.Add(dst).Op("=").Index().String().ValuesFunc(func(g *jen.Group) {
			for _, s := range tensor.Data[string](w.Data) {
				g.Lit(s)
			}
		})
		return
	}
	load := "View"
	if w.Runs != nil {
		load = "Runs"
	}
	data := jen.Qual(pkgTensor, load).Index(emitElem(w.Data.DType)).Call(jen.Id("b"), jen.Lit(e.base+w.Off), jen.Lit(w.Data.Len()))
	if w.Maker != "" {
		args := []jen.Code{data}
		for _, n := range w.Sizes {
			args = append(args, jen.Lit(n))
		}
		data = jen.Qual(pkgCPU, w.Maker).Call(args...)
	}
	g.Add(dst).Op("=").Add(data)
}
