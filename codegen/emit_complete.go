package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
)

// emitTelling emits the steps of a run, and after each a call with the gradients that it completes:
//
//	c.s.complete(2, 3)
func (e *emitter) emitTelling(g *jen.Group) {
	complete := e.p.Complete()
	for i, s := range e.p.Steps {
		e.emitSteps(g, []plan.Step{s})
		if len(complete[i]) > 0 {
			g.Id("c").Dot("s").Dot("complete").CallFunc(func(g *jen.Group) {
				for _, k := range complete[i] {
					g.Lit(k)
				}
			})
		}
	}
}

// emitComplete emits the method of the state that reports complete gradients.
func (t *trainer) emitComplete(f *jen.File) {
	f.Comment("complete lists the gradients that do not change any more in this step.")
	f.Func().Params(jen.Id("s").Op("*").Id("state")).Id("complete").Params(jen.Id("gradients").Op("...").Int()).Block(
		jen.If(jen.Id("s").Dot("ready").Op("==").Nil()).Block(jen.Return()),
		jen.For(jen.List(jen.Id("_"), jen.Id("i")).Op(":=").Range().Id("gradients")).Block(jen.Id("s").Dot("ready").Call(jen.Id("i"))),
	)
}
