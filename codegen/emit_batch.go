package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

// emitBatch emits one field for each input and each target.
func (t *trainer) emitBatch(f *jen.File) {
	e := t.step
	what := "a target"
	if t.hasLoss() {
		f.Comment("Batch is what a step reads: the model's inputs, and the targets that the loss compares its")
		f.Comment("outputs with. Slices are row-major.")
	} else {
		what = "of an output"
		f.Comment("Batch is what a step reads: the model's inputs, and the gradients of its outputs. Slices are")
		f.Comment("row-major.")
	}
	f.Type().Id("Batch").StructFunc(func(g *jen.Group) {
		for _, s := range e.sizes {
			g.Id(e.field[s]).Int().Comment("the size " + s + " below")
		}
		for i, p := range t.Step.Inputs {
			c := portComment(p)
			if i >= len(t.own()) && p != e.rate {
				c += ": " + what
			}
			g.Id(e.ins[p]).Add(emitType(p.Value.Type)).Comment(c)
		}
	})
}

// emitResults emits the struct that step and evaluation write.
func (t *trainer) emitResults(f *jen.File) {
	f.Comment("results is what a step writes.")
	f.Type().Id("results").StructFunc(t.step.emitWritten)
	f.Comment("Outputs is what an evaluation writes. Its slices are the caller's: they grow once and are")
	f.Comment("used again by the next one.")
	f.Type().Id("Outputs").StructFunc(t.eval.emitWritten)
}

// emitChecks emits the checks of a batch's slices, and of its sizes if there are several: a product of negative sizes may
// be the length of a slice, while one alone is not.
func (t *trainer) emitChecks(g *jen.Group, ports []*plan.Port) {
	e := t.step
	failed := []jen.Code{jen.Err()}
	if t.hasLoss() {
		failed = []jen.Code{jen.Lit(0), jen.Err()}
	}
	if len(e.sizes) > 1 {
		for _, s := range e.sizes {
			emitCheckSize(g, "b", e.field[s], failed...)
		}
	}
	for _, p := range ports {
		if p == e.rate || p.Value.Type.Kind != ir.Tensor {
			continue
		}
		n := emitDim(ir.Size(p.Value.Type.Shape), func(s string) *jen.Statement { return jen.Id("b").Dot(e.field[s]) })
		g.If(
			jen.Err().Op(":=").Qual(pkgValues, "CheckLen").Call(jen.Lit(e.ins[p]), jen.Len(jen.Id("b").Dot(e.ins[p])), n, jen.Lit(p.Value.Type.String())),
			jen.Err().Op("!=").Nil(),
		).Block(jen.Return(failed...))
	}
}

// emitReturns emits the results of a trainer's method: the loss, if there is one, and an error.
func (t *trainer) emitReturns() []jen.Code {
	if t.hasLoss() {
		return []jen.Code{jen.Id("loss").Float64(), jen.Err().Error()}
	}
	return []jen.Code{jen.Err().Error()}
}

// emitReturn emits the return from a run that has written to out.
func (t *trainer) emitReturn(g *jen.Group, e *emitter, out *jen.Statement) {
	if t.hasLoss() {
		g.Return(jen.Float64().Call(out.Dot(t.loss(e)).Index(jen.Lit(0))), jen.Nil())
	} else {
		g.Return(jen.Nil())
	}
}
