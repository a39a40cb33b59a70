package codegen

import (
	"fmt"
	"slices"

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

// newTrainer names what the parts of a trainer have in common.
func newTrainer(t *Trainer, opt Options) (*trainer, error) {
	for _, p := range t.Step.Inputs {
		if err := trainable(p); err != nil {
			return nil, err
		}
	}
	e := &trainer{Trainer: t, opt: opt, layout: layOut(t.Step, t.Update)}
	for _, d := range described {
		names, err := d.names(t.Module)
		if err != nil {
			return nil, err
		}
		e.names = append(e.names, names)
	}
	part := func(p *plan.Plan, name string, rate *plan.Port) *emitter {
		x := newPart(t.Module, p, opt, name, rate)
		e.parts = append(e.parts, x)
		return x
	}
	e.step = part(t.Step, "step", t.Step.Inputs[len(t.Step.Inputs)-1])
	e.eval = part(t.Eval, "eval", nil)
	if t.Update != nil {
		e.update = part(t.Update, "update", t.Update.Inputs[0])
		e.step.tells = true
	}
	if t.Forward != nil {
		e.forward = part(t.Forward, "forward", nil)
	}
	e.join()
	return e, nil
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

// weightsFile returns the content of weights.bin: the constants of the parts, and the initial values of the states.
func (t *trainer) weightsFile() *plan.Content {
	c := &plan.Content{}
	for _, p := range t.parts {
		c.PutAll(p.base, p.p.WeightsFile())
	}
	initial := slices.DeleteFunc(slices.Clone(t.Step.States), func(s *plan.State) bool { return s.Init == nil })
	slices.SortFunc(initial, func(a, b *plan.State) int { return t.layout.off[a] - t.layout.off[b] })
	for _, s := range initial {
		c.Put(t.begin+t.layout.off[s], s.Init.Bytes())
	}
	c.Extend(t.begin + t.layout.initial)
	return c
}

func (t *trainer) field(s *plan.State) string { return t.step.states[s.Param.Name] }

func (t *trainer) loss(e *emitter) string { return e.outs[e.p.Outputs[0]] }

// lossAnd returns the variables to which a test assigns the results of the trainer.
func (t *trainer) lossAnd(err jen.Code) []jen.Code {
	if t.hasLoss() {
		return []jen.Code{jen.Id("_"), err}
	}
	return []jen.Code{err}
}

// trainable returns an error if a trainer cannot read an input.
func trainable(p *plan.Port) error {
	if p.Value.Type.Kind != ir.Tensor {
		return fmt.Errorf("input %q is %s, want a tensor to train with", p.Value.Name, p.Value.Type)
	}
	return nil
}
