package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"
)

// emitSession emits the trainer's API for commands, which uses tensors instead of typed fields.
func (t *trainer) emitSession(f *jen.File) {
	all, _ := t.Step.StateBytes()
	f.Comment("TrainProgram describes the trainer to commands that use only its tensors.")
	program := jen.Dict{
		jen.Id("Name"):       jen.Lit(t.Module.Name),
		jen.Id("Source"):     jen.Lit(t.opt.Source),
		jen.Id("Optimizer"):  jen.Lit(t.Optimizer),
		jen.Id("Rate"):       jen.Id("learningRate"),
		jen.Id("Inputs"):     t.step.emitPorts(t.own()),
		jen.Id("Targets"):    t.step.emitPorts(t.targets()),
		jen.Id("Outputs"):    t.eval.emitPorts(t.outputs()),
		jen.Id("Accumulate"): jen.Lit(max(t.Accumulate, 1)),
		jen.Id("Arena"):      jen.Lit(t.Step.Arena),
		jen.Id("State"):      jen.Lit(all),
		jen.Id("New"):        jen.Id("newSession"),
	}
	for name, text := range map[string]string{"Loss": t.Loss, "Random": t.Random} {
		if text != "" {
			program[jen.Id(name)] = jen.Lit(text)
		}
	}
	for i, d := range described {
		if names := t.names[i]; len(names) > 0 {
			program[jen.Id(d.field)] = emitStrings(names)
		}
	}
	if len(t.Ignored) > 0 {
		program[jen.Id("Ignored")] = jen.Index().Int().ValuesFunc(func(g *jen.Group) {
			for _, class := range t.Ignored {
				g.Lit(class)
			}
		})
	}
	f.Func().Id("TrainProgram").Params().Qual(pkgModel, "TrainProgram").Block(
		jen.Return(jen.Qual(pkgModel, "TrainProgram").Values(program)),
	)
	f.Comment("session trains on tensors.")
	f.Type().Id("session").Struct(jen.Id("t").Op("*").Id("Trainer"), jen.Id("b").Id("Batch"), jen.Id("out").Id("Outputs"))
	f.Func().Id("newSession").Params(jen.Id("seed").Uint64()).Params(jen.Qual(pkgModel, "TrainSession"), jen.Error()).Block(
		jen.List(jen.Id("t"), jen.Err()).Op(":=").Id("NewTrainer").Call(jen.Qual(pkgModel, "TrainOptions").Values(jen.Id("Seed").Op(":").Id("seed"))),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Op("&").Id("session").Values(jen.Id("t").Op(":").Id("t")), jen.Nil()),
	)
	t.emitTrainInput(f)
	t.emitTrainRun(f)
	t.emitTrainOutput(f)
}

func (t *trainer) emitTrainInput(f *jen.File) {
	f.Comment("SetInput makes v input i of the next steps or, behind the inputs, a target; sizes that vary")
	f.Comment("are taken from its shape.")
	emitInputSetter(f, append(slices.Clone(t.own()), t.targets()...), t.step.emitAssign)
}

func (t *trainer) emitTrainRun(f *jen.File) {
	recv := jen.Id("s").Op("*").Id("session")
	batch, out := jen.Op("&").Id("s").Dot("b"), jen.Op("&").Id("s").Dot("out")
	trainer := func(method string, args ...jen.Code) *jen.Statement {
		return jen.Id("s").Dot("t").Dot(method).Call(args...)
	}
	results, result := []jen.Code{jen.Id("loss").Float64(), jen.Err().Error()}, func(call *jen.Statement) jen.Code { return jen.Return(call) }
	what := "Eval computes loss and outputs as inference does."
	if t.hasLoss() {
		f.Comment("Step computes loss and gradients and updates the weights.")
	} else {
		f.Comment("Step takes the gradients of the outputs back through the model and updates the weights. There")
		f.Comment("is no loss.")
		what = "Eval computes the outputs as inference does."
		result = func(call *jen.Statement) jen.Code { return jen.Return(jen.Lit(0), call) }
	}
	f.Func().Params(recv).Id("Step").Params(jen.Id("rate").Float64()).Params(results...).Block(result(trainer("StepAt", batch, jen.Id("rate"))))
	if t.update != nil {
		t.emitTrainHalves(f, results, result)
	}
	f.Comment(what)
	f.Func().Params(recv).Id("Eval").Params().Params(results...).Block(result(trainer("Eval", batch, out)))
	if !t.hasLoss() {
		forward := "Forward"
		f.Comment("Forward computes the outputs as the next step will.")
		if t.forward == nil {
			forward = "Eval"
		}
		f.Func().Params(recv).Id("Forward").Params().Error().Block(jen.Return(trainer(forward, batch, out)))
	}
	f.Comment("State is all that Step changes.")
	f.Func().Params(recv).Id("State").Params().Index().Qual(pkgModel, "Variable").Block(jen.Return(trainer("State")))
}

// emitTrainHalves emits the two halves of a step.
func (t *trainer) emitTrainHalves(f *jen.File, results []jen.Code, result func(*jen.Statement) jen.Code) {
	recv, batch := jen.Id("s").Op("*").Id("session"), jen.Op("&").Id("s").Dot("b")
	first := func(method string, more ...jen.Code) jen.Code {
		return result(jen.Id("s").Dot("t").Dot(method).Call(append([]jen.Code{batch}, more...)...))
	}
	f.Comment("Gradients is the first half of Step, which ends with the gradients.")
	f.Func().Params(recv).Id("Gradients").Params().Params(results...).Block(first("Gradients"))
	f.Comment("GradientsReady is Gradients that reports which gradients are complete.")
	f.Func().Params(recv).Id("GradientsReady").Params(jen.Id("ready").Func().Params(jen.Int())).Params(results...).Block(first("GradientsReady", jen.Id("ready")))
	f.Comment("ParameterGradients are what ApplyGradients takes.")
	f.Func().Params(recv).Id("ParameterGradients").Params().Index().Qual(pkgModel, "Variable").Block(jen.Return(jen.Id("s").Dot("t").Dot("ParameterGradients").Call()))
	f.Comment("ApplyGradients is the second half of Step.")
	f.Func().Params(recv).Id("ApplyGradients").Params(jen.Id("rate").Float64()).Error().Block(jen.Return(jen.Id("s").Dot("t").Dot("ApplyGradients").Call(jen.Id("rate"))))
	f.Comment("Keep sets which elements of a weight ApplyGradients updates, and the optimizer's state of these is kept.")
	f.Func().Params(recv).Id("Keep").Params(jen.Id("weight").Int(), jen.Id("shards").Op("...").Qual(pkgModel, "Shard")).Block(jen.Id("s").Dot("t").Dot("Keep").Call(jen.Id("weight"), jen.Id("shards").Op("...")))
	f.Comment("Divisible reports whether Keep may keep a part of a weight.")
	f.Func().Params(recv).Id("Divisible").Params(jen.Id("weight").Int()).Bool().Block(jen.Return(jen.Id("s").Dot("t").Dot("Divisible").Call(jen.Id("weight"))))
}

func (t *trainer) emitTrainOutput(f *jen.File) {
	if t.hasLoss() {
		f.Comment("Output is the model's output i of the last Eval; the next one overwrites it.")
	} else {
		f.Comment("Output is the model's output i of the last Eval or Forward; the next one overwrites it.")
	}
	t.emitByNumber(f, "Output", func(g *jen.Group) {
		for i, p := range t.outputs() {
			g.Case(jen.Lit(i)).Block(jen.Comment(lineOf(p.Value.Name)), jen.Return(t.eval.emitResult(jen.Id("s").Dot("out"), p)))
		}
	})
	if len(t.Gradients) == 0 {
		return
	}
	f.Comment("Gradient is that of the model's input i after the last Step; the next one overwrites it.")
	t.emitByNumber(f, "Gradient", func(g *jen.Group) {
		for k, p := range t.gradients() {
			i := t.Gradients[k]
			g.Case(jen.Lit(i)).Block(jen.Comment(lineOf(t.own()[i].Value.Name)), jen.Return(t.step.emitResult(jen.Id("s").Dot("t").Dot("results"), p)))
		}
	})
}

// emitByNumber emits a method that returns a value by its number, or nil.
func (t *trainer) emitByNumber(f *jen.File, name string, cases func(g *jen.Group)) {
	f.Func().Params(jen.Id("s").Op("*").Id("session")).Id(name).Params(jen.Id("i").Int()).Qual(pkgTensor, "Value").Block(
		jen.Switch(jen.Id("i")).BlockFunc(cases),
		jen.Return(jen.Nil()),
	)
}

// emitTest emits the package's own tests: a step allocates nothing, and training continues from a checkpoint
// without a difference. It also emits a benchmark.
func (t *trainer) emitTest(f *jen.File) {
	t.step.emitZeros(f, "is a batch", "Batch")
	fresh := func(g *jen.Group, test string) {
		g.List(jen.Id("t"), jen.Err()).Op(":=").Id("NewTrainer").Call(jen.Qual(pkgModel, "TrainOptions").Values())
		g.If(jen.Err().Op("!=").Nil()).Block(jen.Id(test).Dot("Fatal").Call(jen.Err()))
		g.Id("b").Op(":=").Id("zeros").Call()
		g.List(t.lossAnd(jen.Err())...).Op("=").Id("t").Dot("Step").Call(jen.Id("b"))
		g.Add(emitRefused(test))
	}
	f.Comment("TestStep trains on zeros, and goes on from a checkpoint.")
	f.Func().Id("TestStep").Params(jen.Id("tt").Op("*").Qual(pkgTesting, "T")).BlockFunc(func(g *jen.Group) {
		fresh(g, "tt")
		if !t.step.allocates() && !t.eval.allocates() {
			g.Id("step").Op(":=").Func().Params().Block(jen.Id("t").Dot("Step").Call(jen.Id("b")))
			g.Add(emitAllocs("tt", "step"))
		}
		g.Var().Id("saved").Qual("bytes", "Buffer")
		g.If(jen.Err().Op(":=").Id("t").Dot("Save").Call(jen.Op("&").Id("saved")), jen.Err().Op("!=").Nil()).Block(jen.Id("tt").Dot("Fatal").Call(jen.Err()))
		g.List(jen.Id("u"), jen.Err()).Op(":=").Id("NewTrainer").Call(jen.Qual(pkgModel, "TrainOptions").Values(jen.Id("Seed").Op(":").Lit(1)))
		g.If(jen.Err().Op("!=").Nil()).Block(jen.Id("tt").Dot("Fatal").Call(jen.Err()))
		g.If(jen.Err().Op(":=").Id("u").Dot("Load").Call(jen.Op("&").Id("saved")), jen.Err().Op("!=").Nil()).Block(jen.Id("tt").Dot("Fatal").Call(jen.Err()))
		g.Id("t").Dot("Step").Call(jen.Id("b"))
		g.Id("u").Dot("Step").Call(jen.Id("b"))
		g.If(jen.Op("!").Qual("bytes", "Equal").Call(jen.Id("t").Dot("s").Dot("mem"), jen.Id("u").Dot("s").Dot("mem"))).Block(
			jen.Id("tt").Dot("Error").Call(jen.Lit("a training that was saved and loaded goes on differently")),
		)
		g.Var().Id("out").Id("Outputs")
		g.If(jen.List(t.lossAnd(jen.Err())...).Op(":=").Id("t").Dot("Eval").Call(jen.Id("b"), jen.Op("&").Id("out")), jen.Err().Op("!=").Nil()).Block(jen.Id("tt").Dot("Error").Call(jen.Err()))
	})
	f.Comment("BenchmarkStep times a step on zeros.")
	f.Func().Id("BenchmarkStep").Params(jen.Id("tb").Op("*").Qual(pkgTesting, "B")).BlockFunc(func(g *jen.Group) {
		fresh(g, "tb")
		g.Id("tb").Dot("ReportAllocs").Call()
		g.For(jen.Id("tb").Dot("Loop").Call()).Block(jen.Id("t").Dot("Step").Call(jen.Id("b")))
	})
}
