package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

// Trainer is a training step together with the plans that evaluate the model between steps.
type Trainer struct {
	Step, Eval *plan.Plan
	Update     *plan.Plan // the second half of a split step, or nil
	Forward    *plan.Plan // the outputs as computed in training; nil if they equal those of Eval or are unused
	Module     *ir.Module // of the step

	Each       bool    // the last output of Eval is the unreduced losses
	Targets    int     // number of targets, which are inputs after those of the model
	Ignored    []int   // the labels that do not count
	Gradients  []int   // the inputs for which a step returns gradients
	Loss       string  // name on the command line; "" if the targets are gradients of the outputs
	Optimizer  string  // name on the command line
	Rate       float64 // the default learning rate
	Accumulate int     // number of steps for one update
	Count      string  // the state that counts the updates
	Random     string  // the state with the position in the random stream, or ""
	Slot       bool    // it is for a slot of a peer, and has a type for it
}

// GenerateTrainer generates the package of a trainer.
func GenerateTrainer(t *Trainer, opt Options) ([]File, error) {
	for _, p := range t.Step.Inputs {
		if err := trainable(p); err != nil {
			return nil, err
		}
	}
	rate := t.Step.Inputs[len(t.Step.Inputs)-1]
	step := newPart(t.Module, t.Step, opt, "step", rate)
	eval := newPart(t.Module, t.Eval, opt, "eval", nil)
	e := &trainer{Trainer: t, step: step, eval: eval, parts: []*emitter{step, eval}, opt: opt}
	for _, d := range described {
		names, err := d.names(t.Module)
		if err != nil {
			return nil, err
		}
		e.names = append(e.names, names)
	}
	if t.Update != nil {
		e.update = newPart(t.Module, t.Update, opt, "update", t.Update.Inputs[0])
		e.parts = append(e.parts, e.update)
		step.tells = true
	}
	if t.Forward != nil {
		e.forward = newPart(t.Module, t.Forward, opt, "forward", nil)
		e.parts = append(e.parts, e.forward)
	}
	e.layout = layOut(t.Step, t.Update)
	e.join()
	files := []emitted{{"trainer.bb.go", e.emitTrainer, nil}}
	for _, p := range e.parts {
		files = append(files, emitted{p.part + ".bb.go", p.emitGraph, p})
	}
	if t.Slot {
		methods, err := t.SlotMethods()
		if err != nil {
			return nil, err
		}
		files = append(files, emitted{"slot.bb.go", func(f *jen.File) { e.emitSlot(f, methods) }, nil})
	}
	return printFiles(opt, append(files, []emitted{
		{"state.bb.go", e.emitState, nil},
		{"weights.bb.go", e.emitWeights, nil},
		{"session.bb.go", e.emitSession, nil},
		{"trainer_bb_test.go", e.emitTest, nil},
	}...), e.weightBytes())
}

// trainer prints a trainer.
type trainer struct {
	*Trainer
	step, eval *emitter
	update     *emitter   // nil if a step is not split
	forward    *emitter   // nil if Eval is used instead
	parts      []*emitter // the four emitters above
	opt        Options
	layout     *stateLayout
	names      [][]string // for each of described
	begin      int        // offset of the states' initial values in weights.bin
}

// join makes the parts read the same batch with the names of the step, and use the same states and constants
// file. A forward pass has the outputs of an evaluation.
func (t *trainer) join() {
	for _, p := range t.parts {
		p.trains, p.states, p.base = true, t.step.states, t.begin
		for i, x := range p.p.Inputs {
			if x != p.rate {
				p.ins[x] = t.step.ins[t.Step.Inputs[i]]
			}
		}
		p.field = t.step.field
		t.begin += aligned(p.p.WeightBytes())
	}
	if t.forward != nil {
		for i, x := range t.Forward.Outputs {
			t.forward.outs[x] = t.eval.outs[t.Eval.Outputs[i]]
		}
	}
}

// own returns the model's own inputs, without the additional inputs of a step.
func (t *trainer) own() []*plan.Port { return t.Step.Inputs[:len(t.Step.Inputs)-1-t.Targets] }

func (t *trainer) targets() []*plan.Port {
	n := len(t.Step.Inputs) - 1
	return t.Step.Inputs[n-t.Targets : n]
}

// hasLoss reports whether a step returns a loss, which is then its first output and that of an evaluation.
func (t *trainer) hasLoss() bool { return t.Loss != "" }

// outputs returns the model's own outputs.
func (t *trainer) outputs() []*plan.Port {
	if t.hasLoss() {
		return t.Eval.Outputs[1:]
	}
	return t.Eval.Outputs
}

// gradients returns the outputs of a step that are gradients of inputs.
func (t *trainer) gradients() []*plan.Port {
	return t.Step.Outputs[len(t.Step.Outputs)-len(t.Gradients):]
}

// aligned returns n rounded up to the alignment of constants.
func aligned(n int) int { return (n + 63) / 64 * 64 }

// weightBytes returns the content of weights.bin: the constants of the parts, and the initial values of the
// states.
func (t *trainer) weightBytes() []byte {
	b := make([]byte, t.begin+t.layout.initial)
	for _, p := range t.parts {
		copy(b[p.base:], p.p.WeightsFile())
	}
	for _, s := range t.Step.States {
		if s.Init != nil {
			copy(b[t.begin+t.layout.off[s]:], s.Init.Bytes())
		}
	}
	return b
}

// emitWeights emits the constants of all parts, read from one embedded file.
func (t *trainer) emitWeights(f *jen.File) {
	f.Anon("embed")
	f.Comment("weightsFile holds the constants, and from firstState on what the states begin with.")
	f.Comment("")
	f.Comment("//go:embed weights.bin")
	f.Var().Id("weightsFile").String()
	f.Const().Defs(
		jen.Id("weightBytes").Op("=").Lit(len(t.weightBytes())),
		jen.Id("firstState").Op("=").Lit(t.begin),
	)
	for _, p := range t.parts {
		p.emitConstants(f)
	}
}

// emitState emits the type of the state: one slice for each state, in one block of memory. If a step is split, what
// the optimizer keeps of each parameter has memory of its own.
func (t *trainer) emitState(f *jen.File) {
	f.Comment("state is kept from step to step: parameters, the optimizer's state of each, statistics")
	f.Comment("and counters.")
	f.Type().Id("state").StructFunc(func(g *jen.Group) {
		g.Id("mem").Index().Byte().Comment(fmt.Sprintf("%d bytes", t.layout.memory))
		for _, s := range t.Step.States {
			g.Id(t.field(s)).Add(emitType(s.Param.Type)).Comment(fmt.Sprintf("%s: %s", s.Param.Type, stateDoc(s.Kind)))
		}
		if t.Update != nil {
			g.Id("ready").Func().Params(jen.Int()).Comment("called with each complete gradient; may be nil")
			g.Id("first").Index().Byte().Comment("the initial values")
			g.Id("keeps").Index(jen.Lit(len(parametersOf(t.Step)))).Bool().Comment("of which parameters the optimizer keeps its state, and updates them")
		}
	})
	f.Comment("newState returns the state in which a training begins.")
	f.Func().Id("newState").Params(jen.Id("first").Index().Byte()).Op("*").Id("state").BlockFunc(func(g *jen.Group) {
		l := t.layout
		fields, filled := jen.Dict{jen.Id("mem"): jen.Qual(pkgTensor, "Aligned").Call(jen.Lit(l.memory))}, jen.Id("first")
		if t.Update != nil {
			fields[jen.Id("first")] = jen.Id("first")
		}
		if l.filled < l.initial {
			filled = filled.Index(jen.Empty(), jen.Lit(l.filled))
		}
		g.Id("s").Op(":=").Op("&").Id("state").Values(fields)
		g.Copy(jen.Id("s").Dot("mem"), filled)
		for _, s := range t.Step.States {
			if n, _ := s.Var.Len.Const(); l.owner[s.Param.Name] == "" {
				g.Id("s").Dot(t.field(s)).Op("=").Qual(pkgTensor, "View").Index(emitElem(s.Param.Type.Elem)).Call(jen.Id("s").Dot("mem"), jen.Lit(l.off[s]), jen.Lit(n))
			}
		}
		if t.Update != nil {
			g.For(jen.Id("i").Op(":=").Range().Id("s").Dot("keeps")).Block(jen.Id("s").Dot("keep").Call(jen.Id("i"), jen.True()))
		}
		g.Return(jen.Id("s"))
	})
	if t.Update != nil {
		t.emitKeeping(f)
	}
	f.Comment("list is the state by name. The tensors are the state's own memory.")
	t.emitList(f, "list", false)
	if t.Update != nil {
		f.Comment("gradients are the gradients by name. The tensors are the state's own memory.")
		t.emitList(f, "gradients", true)
		t.emitComplete(f)
	}
}

// emitList emits the method that lists the gradients, or all other states.
func (t *trainer) emitList(f *jen.File, name string, gradients bool) {
	f.Func().Params(jen.Id("s").Op("*").Id("state")).Id(name).Params().Index().Qual(pkgRuntime, "Variable").Block(
		jen.Return(jen.Index().Qual(pkgRuntime, "Variable").CustomFunc(multiline, func(g *jen.Group) {
			for _, s := range t.Step.States {
				if (s.Kind == ir.Gradient) != gradients {
					continue
				}
				args := []jen.Code{jen.Id("s").Dot(t.field(s))}
				for _, d := range s.Param.Type.Shape {
					args = append(args, t.step.emitDim(d))
				}
				value := jen.Qual(pkgTensor, "Of").Call(args...)
				fields := []jen.Code{jen.Id("Name").Op(":").Lit(s.Param.Name), jen.Id("Kind").Op(":").Qual(pkgRuntime, variableKind(s.Kind))}
				if of := t.layout.owner[s.Param.Name]; of != "" {
					fields = append(fields, jen.Id("Of").Op(":").Lit(of))
					value = jen.Qual(pkgRuntime, "IfKept").Call(args...)
				}
				g.Values(append(fields, jen.Id("Value").Op(":").Add(value))...)
			}
		})),
	)
}

func (t *trainer) field(s *plan.State) string { return t.step.states[s.Param.Name] }

// stateDoc describes the purpose of a kind of state.
func stateDoc(k ir.StateKind) string {
	switch k {
	case ir.OptimizerSlot:
		return "the optimizer's"
	case ir.RandomCounter:
		return "position in the random stream"
	}
	return string(k)
}

// variableKind returns the runtime's name for a kind of state.
func variableKind(k ir.StateKind) string {
	switch k {
	case ir.Parameter:
		return "Weight"
	case ir.Statistic:
		return "Buffer"
	case ir.Average:
		return "Average"
	}
	return "Private"
}
