package codegen

import "github.com/dave/jennifer/jen"

// emitHalves emits the two halves of a step that is split:
//
//	loss, err := t.Gradients(&batch)
//	// others may change t.ParameterGradients()
//	err = t.ApplyGradients(rate)
func (t *trainer) emitHalves(f *jen.File) {
	recv := jen.Id("t").Op("*").Id("Trainer")
	batch := jen.Id("b").Op("*").Id("Batch")
	results := t.lossAnd(jen.Err())
	if t.hasLoss() {
		results[0] = jen.Id("loss")
	}
	f.Func().Params(recv).Id("StepAt").Params(batch, jen.Id("rate").Float64()).Params(t.emitReturns()...).Block(
		jen.If(jen.List(results...).Op("=").Id("t").Dot("Gradients").Call(jen.Id("b")), jen.Err().Op("!=").Nil()).Block(jen.Return(results...)),
		jen.Return(append(results[:len(results)-1:len(results)-1], jen.Id("t").Dot("ApplyGradients").Call(jen.Id("rate")))...),
	)
	f.Comment("Gradients is the first half of a step: it computes the gradients of the parameters, which")
	f.Comment("[Trainer.ParameterGradients] has then. The parameters stay as they are.")
	f.Func().Params(recv).Id("Gradients").Params(batch).Params(t.emitReturns()...).BlockFunc(func(g *jen.Group) {
		t.emitChecks(g, t.Step.Inputs)
		g.Defer().Id("recovered").Call(jen.Op("&").Err())
		g.Id("t").Dot("step").Dot("run").Call(jen.Id("b"), jen.Op("&").Id("t").Dot("results"))
		t.emitReturn(g, t.step, jen.Id("t").Dot("results"))
	})
	f.Comment("GradientsReady is [Trainer.Gradients] that calls ready with the number of each gradient as soon as it")
	f.Comment("is complete, while others are computed. The order is the same in all steps.")
	f.Func().Params(recv).Id("GradientsReady").Params(batch, jen.Id("ready").Func().Params(jen.Int())).Params(t.emitReturns()...).Block(
		jen.Id("t").Dot("s").Dot("ready").Op("=").Id("ready"),
		jen.Defer().Func().Params().Block(jen.Id("t").Dot("s").Dot("ready").Op("=").Nil()).Call(),
		jen.Return(jen.Id("t").Dot("Gradients").Call(jen.Id("b"))),
	)
	f.Comment("ParameterGradients are the gradients that [Trainer.ApplyGradients] takes, in the order of")
	f.Comment("[Trainer.Parameters]. The tensors are the trainer's own memory: averages over several")
	f.Comment("trainers are written into them.")
	f.Func().Params(recv).Id("ParameterGradients").Params().Index().Qual(pkgModel, "Variable").Block(
		jen.Return(jen.Id("t").Dot("s").Dot("gradients").Call()),
	)
	f.Comment("ApplyGradients is the second half of a step: it updates the parameters.")
	f.Func().Params(recv).Id("ApplyGradients").Params(jen.Id("rate").Float64()).Params(jen.Err().Error()).Block(
		jen.Defer().Id("recovered").Call(jen.Op("&").Err()),
		jen.Id("t").Dot("rate").Index(jen.Lit(0)).Op("=").Float32().Call(jen.Id("rate")),
		jen.Id("t").Dot("update").Dot("run").Call(jen.Op("&").Id("Batch").Values(jen.Id("rate").Op(":").Id("t").Dot("rate").Index(jen.Op(":"))), jen.Nil()),
		jen.Return(jen.Nil()),
	)
	f.Comment("Keep sets of which elements of a parameter, by its number in [Trainer.Parameters], this trainer keeps")
	f.Comment("the optimizer's state: only those are updated by ApplyGradients. In the beginning it keeps all. State")
	f.Comment("that was not kept begins with its initial values. In the list of [Trainer.State], state that is kept")
	f.Comment("in part is a vector of the kept elements, and has no value if there are none.")
	f.Func().Params(recv).Id("Keep").Params(jen.Id("parameter").Int(), jen.Id("shards").Op("...").Qual(pkgModel, "Shard")).Block(
		jen.Id("t").Dot("s").Dot("keep").Call(jen.Id("parameter"), jen.Qual(pkgModel, "Shards").Call(jen.Id("shards"))),
	)
	t.emitDivisible(f)
}

// emitDivisible emits the method that tells which parameters may be kept in part.
func (t *trainer) emitDivisible(f *jen.File) {
	var whole []jen.Code
	for i, p := range t.Update.Parameters() {
		if !t.Update.Divisible(p) {
			whole = append(whole, jen.Lit(i))
		}
	}
	f.Comment("Divisible reports whether [Trainer.Keep] may keep a part of a parameter: its optimizer updates each element")
	f.Comment("by itself.")
	f.Func().Params(jen.Id("t").Op("*").Id("Trainer")).Id("Divisible").Params(jen.Id("parameter").Int()).Bool().BlockFunc(func(g *jen.Group) {
		if whole != nil {
			g.Switch(jen.Id("parameter")).Block(jen.Case(whole...).Block(jen.Return(jen.False())))
		}
		g.Return(jen.True())
	})
}
