package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
)

const pkgCheckpoint = "github.com/bbgen/bbgen/runtime/component/checkpoint"

// emitTrainer emits the package's API: Trainer, Batch, Step and Eval.
func (t *trainer) emitTrainer(f *jen.File) {
	f.PackageComment(fmt.Sprintf("Package %s trains the model %q: forward, backward and optimizer as straight calls of", t.opt.Package, t.Module.Name))
	f.PackageComment("kernels, compiled by bbgen.")
	f.PackageComment("")
	f.PackageComment("A [Trainer] holds the state; [Trainer.Step] reads a [Batch] and changes it.")
	emitHandshake(f)
	t.emitTrainerType(f)
	t.emitBatch(f)
	t.emitResults(f)
	t.emitStep(f)
	t.emitEval(f)
	t.emitKeep(f)
}

func (t *trainer) emitTrainerType(f *jen.File) {
	f.Comment("learningRate is the rate of a trainer whose options set no other.")
	f.Const().Id("learningRate").Op("=").Lit(t.Rate)
	f.Comment("Trainer trains the model. It is not safe for concurrent use.")
	f.Type().Id("Trainer").StructFunc(func(g *jen.Group) {
		g.Id("opt").Qual(pkgModel, "TrainOptions")
		g.Id("s").Op("*").Id("state")
		for _, p := range t.parts {
			if p.hasConstants() {
				g.Id(p.name("weights")).Id(p.name("weights"))
			}
		}
		g.Id("step").Op("*").Id("stepContext")
		if t.update != nil {
			g.Id("update").Op("*").Id("updateContext")
		}
		g.Id("eval").Op("*").Id("evalContext").Comment("nil before the first evaluation")
		if t.forward != nil {
			g.Id("forward").Op("*").Id("forwardContext").Comment("nil before the first forward pass")
		}
		g.Id("results").Id("results")
		g.Id("rate").Index(jen.Lit(1)).Float32()
	})
	f.Comment("NewTrainer returns a trainer that begins with the weights of the model's file.")
	f.Func().Id("NewTrainer").Params(jen.Id("opt").Qual(pkgModel, "TrainOptions")).Params(jen.Op("*").Id("Trainer"), jen.Error()).BlockFunc(func(g *jen.Group) {
		g.Id("b").Op(":=").Qual(pkgTensor, "Embedded").Call(jen.Id("weightsFile"))
		emitWeightCheck(g, func(err ...jen.Code) *jen.Statement { return jen.Return(append([]jen.Code{jen.Nil()}, err...)...) })
		g.If(jen.Id("opt").Dot("Rate").Op("==").Nil()).Block(
			jen.Id("opt").Dot("Rate").Op("=").Func().Params(jen.Int()).Float64().Block(jen.Return(jen.Id("learningRate"))),
		)
		g.Id("t").Op(":=").Op("&").Id("Trainer").Values(jen.Id("opt").Op(":").Id("opt"), jen.Id("s").Op(":").Id("newState").Call(jen.Id("b").Index(jen.Id("firstState"), jen.Empty())))
		for _, p := range t.parts {
			if p.hasConstants() {
				g.Id("t").Dot(p.name("weights")).Dot("load").Call(jen.Id("b"))
			}
		}
		emitMakePart(g, t.step)
		if t.update != nil {
			emitMakePart(g, t.update)
		}
		if t.Random != "" {
			g.Id("t").Dot("s").Dot(t.step.states[t.Random]).Index(jen.Lit(0)).Op("=").Qual(pkgModel, "Stream").Call(jen.Id("opt").Dot("Seed"))
		}
		g.Return(jen.Id("t"), jen.Nil())
	})
}

// emitMakePart emits the assignment of the context of a part:
//
//	t.step = newStepContext(&t.stepWeights, t.s)
func emitMakePart(g *jen.Group, e *emitter) {
	var args []jen.Code
	if e.hasConstants() {
		args = append(args, jen.Op("&").Id("t").Dot(e.name("weights")))
	}
	g.Id("t").Dot(e.part).Op("=").Id(e.constructor()).Call(append(args, jen.Id("t").Dot("s"))...)
}

// emitStep emits one step:
//
//	loss, err := t.Step(&batch)
func (t *trainer) emitStep(f *jen.File) {
	recv := jen.Id("t").Op("*").Id("Trainer")
	if t.hasLoss() {
		f.Comment("Step computes loss and gradients of a batch and updates the parameters, with the learning")
		f.Comment("rate that the options have for it. It allocates nothing once sizes have been seen.")
	} else {
		f.Comment("Step takes the gradients of the outputs back through the model and updates the parameters,")
		f.Comment("with the learning rate that the options have for it. It computes the outputs again, and")
		f.Comment("allocates nothing once sizes have been seen.")
	}
	f.Func().Params(recv).Id("Step").Params(jen.Id("b").Op("*").Id("Batch")).Params(t.emitReturns()...).Block(
		jen.Return(jen.Id("t").Dot("StepAt").Call(jen.Id("b"), jen.Id("t").Dot("opt").Dot("Rate").Call(jen.Id("t").Dot("Updates").Call()))),
	)
	f.Comment("StepAt is [Trainer.Step] with a learning rate of the caller's.")
	if t.update != nil {
		t.emitHalves(f)
	} else {
		f.Func().Params(recv).Id("StepAt").Params(jen.Id("b").Op("*").Id("Batch"), jen.Id("rate").Float64()).Params(t.emitReturns()...).BlockFunc(func(g *jen.Group) {
			t.emitChecks(g, t.Step.Inputs)
			g.Defer().Id("recovered").Call(jen.Op("&").Err())
			g.Id("t").Dot("rate").Index(jen.Lit(0)).Op("=").Float32().Call(jen.Id("rate"))
			g.Id("b").Dot("rate").Op("=").Id("t").Dot("rate").Index(jen.Op(":"))
			g.Id("t").Dot("step").Dot("run").Call(jen.Id("b"), jen.Op("&").Id("t").Dot("results"))
			t.emitReturn(g, t.step, jen.Id("t").Dot("results"))
		})
	}
	f.Comment("Updates is how often the parameters have been updated.")
	f.Func().Params(recv).Id("Updates").Params().Int().Block(
		jen.Return(jen.Int().Call(jen.Id("t").Dot("s").Dot(t.step.states[t.Count]).Index(jen.Lit(0)))),
	)
	f.Comment("recovered makes the reason why a kernel gave up an error.")
	f.Func().Id("recovered").Params(jen.Err().Op("*").Error()).Block(
		jen.If(jen.Id("r").Op(":=").Recover(), jen.Id("r").Op("!=").Nil()).Block(
			jen.Op("*").Err().Op("=").Qual(pkgFault, "Recovered").Call(append([]jen.Code{jen.Lit(t.Module.Name), jen.Id("r")}, sites(t.parts...)...)...),
		),
	)
}

// emitEval emits the evaluation of a batch.
func (t *trainer) emitEval(f *jen.File) {
	ports := t.own()
	if t.hasLoss() {
		f.Comment("Eval computes loss and outputs of a batch as inference does. It changes no state.")
		ports = t.Step.Inputs
	} else {
		f.Comment("Eval computes the outputs of a batch as inference does. It changes no state.")
	}
	t.emitPass(f, "Eval", t.eval, ports)
	if t.forward != nil {
		f.Comment("Forward computes the outputs of a batch as the next step will, with what it drops and the")
		f.Comment("statistics of the batch. It changes no state.")
		t.emitPass(f, "Forward", t.forward, ports)
	}
}

// emitPass emits a run of a part that does not change the state.
func (t *trainer) emitPass(f *jen.File, name string, e *emitter, ports []*plan.Port) {
	f.Func().Params(jen.Id("t").Op("*").Id("Trainer")).Id(name).Params(
		jen.Id("b").Op("*").Id("Batch"), jen.Id("out").Op("*").Id("Outputs"),
	).Params(t.emitReturns()...).BlockFunc(func(g *jen.Group) {
		t.emitChecks(g, ports)
		g.Defer().Id("recovered").Call(jen.Op("&").Err())
		g.If(jen.Id("t").Dot(e.part).Op("==").Nil()).BlockFunc(func(g *jen.Group) { emitMakePart(g, e) })
		g.Id("t").Dot(e.part).Dot("run").Call(jen.Id("b"), jen.Id("out"))
		t.emitReturn(g, e, jen.Id("out"))
	})
}

// emitKeep emits the methods that save, load and list the state.
func (t *trainer) emitKeep(f *jen.File) {
	recv := jen.Id("t").Op("*").Id("Trainer")
	vars := jen.Index().Qual(pkgModel, "Variable")
	f.Comment("State is all that a step changes. The tensors are the trainer's own memory.")
	f.Func().Params(recv).Id("State").Params().Add(vars).Block(jen.Return(jen.Id("t").Dot("s").Dot("list").Call()))
	f.Comment("Parameters are the weights that are trained.")
	f.Func().Params(recv).Id("Parameters").Params().Add(vars).Block(
		jen.Return(jen.Qual(pkgModel, "Trained").Call(jen.Id("t").Dot("State").Call())),
	)
	f.Comment("Export is what the model's initializers have become, by name: weights and statistics.")
	f.Func().Params(recv).Id("Export").Params().Map(jen.String()).Op("*").Qual(pkgTensor, "Tensor").Block(
		jen.Return(jen.Qual(pkgModel, "Exported").Call(jen.Id("t").Dot("State").Call())),
	)
	f.Comment("Save writes the whole state, in the format safetensors. A training that goes on from it goes on")
	f.Comment("bit for bit as it would have.")
	f.Func().Params(recv).Id("Save").Params(jen.Id("w").Qual("io", "Writer")).Error().Block(
		jen.Return(jen.Qual(pkgCheckpoint, "Save").Call(jen.Id("w"), jen.Id("t").Dot("State").Call())),
	)
	f.Comment("Load reads what Save has written. The state stays as it is if that fails.")
	f.Func().Params(recv).Id("Load").Params(jen.Id("r").Qual("io", "Reader")).Error().Block(
		jen.Return(jen.Qual(pkgCheckpoint, "Load").Call(jen.Id("r"), jen.Id("t").Dot("State").Call())),
	)
}
