package codegen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// emitWeights emits the constants: one field each, read from the embedded file.
func (e *emitter) emitWeights(f *jen.File) {
	size := e.p.WeightBytes()
	if !e.opt.Sidecar {
		emitWeightsFile(f, "holds the constants in the layouts that the kernels read")
	}
	f.Comment("weightBytes is the size of the file, which has " + constants(len(e.p.Weights)) + ".")
	f.Const().Id("weightBytes").Op("=").Lit(size)
	e.emitConstants(f)
}

// constants returns a number of constants in words.
func constants(n int) string {
	if n == 1 {
		return "1 constant"
	}
	return fmt.Sprintf("%d constants", n)
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
	return "the " + cmp.Or(subjects[e.part], e.part, "model")
}

// hasConstants reports whether the code has a type with constants. That of a model is there even if it is empty, as the
// code that loads it checks the file.
func (e *emitter) hasConstants() bool { return e.part == "" || len(e.p.Weights) > 0 }

// subjects are the parts of a trainer whose names are not words.
var subjects = map[string]string{"eval": "evaluation", "forward": "forward pass"}

// emitConstants emits the types of the constants and the code that loads them.
func (e *emitter) emitConstants(f *jen.File) {
	if !e.hasConstants() {
		return
	}
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

// emitWeightField emits a field of a struct of constants, with their type and, if they are few, their values:
//
//	ratio   []float32 // float32[]: 0.1
//	filters []float32 // WinogradFilters32 of float32[64,64,3,3]
func emitWeightField(g *jen.Group, name string, w *plan.Weight) {
	text := w.Data.String()
	if w.Maker != "" {
		text = w.Maker + " of " + text
	} else if x := elementsText(w.Data); x != "" {
		text += ": " + x
	}
	g.Id(name).Index().Add(emitElem(w.Data.DType)).Comment(text)
}

// elementsText returns the elements of a tensor as text, or "" if that is too long for a comment.
func elementsText(t *tensor.Tensor) string {
	const most = 4
	if t.Len() > most {
		return ""
	}
	var elements []string
	for i := range t.Len() {
		elements = append(elements, ir.ElementText(t, i))
	}
	text := strings.Join(elements, ", ")
	if len(text) > 40 {
		return ""
	}
	return text
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
