package train

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/grad"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Program holds the graphs of a model that is trained.
type Program struct {
	// Step is one step of training. It reads the model's inputs, the targets and the learning rate. Its
	// results are the loss, if there is one, and the gradients of the inputs, if requested.
	Step *ir.Module

	// Update is the second half of a split step, or nil. Step then ends with the gradients, which are states,
	// and Update reads them and the learning rate. Both halves have the same states.
	Update *ir.Module

	// Eval reads the model's inputs and the targets. Its results are the loss, the model's outputs in
	// inference mode, and the unreduced losses if the reduction is none. Its states are the parameters and
	// statistics of Step with the same names, and do not change.
	Eval *ir.Module

	// Forward returns the model's outputs as Step computes them, with dropout and the statistics of the
	// batch. It is nil if they equal those of Eval, and if the step has a loss, as then no other peer needs
	// them.
	Forward *ir.Module

	Loss      string  // name of the loss
	Optimizer string  // name of the optimizer
	Rate      float64 // the default learning rate

	Each    bool   // the last result of Eval is the unreduced losses
	Targets int    // number of inputs that are targets
	Ignored []int  // labels that do not count
	Inputs  []int  // the inputs with gradients that are results of Step, in order
	Count   string // the state that counts the updates
	Random  string // the state that counts random draws, or ""

	Warnings []string // declarations that do not match the model, weights that an exporter has probably merged, and outputs that the loss does not expect
}

// Build makes a training step of a model with initializers as parameters. Without a loss and an optimizer,
// it uses the step that the file itself describes. It rewrites m. The graph is verified after each pass in it; the compiler
// verifies what it returns, as after every stage.
func Build(m *ir.Module, opt Options) (*Program, error) {
	if opt.Loss.Name == "" && opt.Optimizer.Name == "" {
		return buildAlgorithm(m, &opt)
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	ins, warnings, err := prepare(m, &opt)
	if err != nil {
		return nil, err
	}
	s := &step{m: m, opt: &opt, b: builder(m)}
	targets, err := s.forward()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.File, err)
	}
	outputs, eval := slices.Clone(m.Main.Body.Results), m.Clone()
	if opt.Backward {
		eval.Main.Body.Params = eval.Main.Body.Params[:ins]
	}
	if err := s.backward(ins); err != nil {
		return nil, err
	}
	p := &Program{
		Step: m, Targets: targets, Each: s.each, Inputs: s.inputs, Count: s.counter.Name,
		Loss: opt.Loss.Name, Optimizer: opt.Optimizer.Name, Rate: opt.Optimizer.Rate, Ignored: opt.Loss.ignores(), Warnings: warnings,
	}
	if opt.Backward && trains(eval) {
		if p.Forward, err = forwardOf(m, outputs, ins); err != nil {
			return nil, err
		}
	}
	if opt.Split {
		if p.Update, err = s.split(); err != nil {
			return nil, err
		}
	}
	// Remove gradients of values that are not parameters now, as later passes depend on the number of uses.
	if err := run(m, pass.DCE); err != nil {
		return nil, err
	}
	p.Eval = inference(eval, m)
	if s.drawn != nil {
		p.Random = s.drawn.Name
	}
	return p, nil
}

// prepare makes parameters of a model's initializers, and brings the model to the form in which it is differentiated.
// It returns the number of the model's own inputs, and what looks like a mistake in the model.
func prepare(m *ir.Module, opt *Options) (ins int, warnings []string, err error) {
	m.Training = nil
	if len(m.Main.Body.Results) == 0 {
		return 0, nil, fmt.Errorf("%s: the model has no output", m.File)
	}
	if err := run(m, pass.Inline); err != nil {
		return 0, nil, err
	}
	ins = len(m.Main.Body.Params)
	if err := findStates(m, opt); err != nil {
		return 0, nil, err
	}
	merged := mergedWeights(m) // before folding, which merges weights, too
	before := []*pass.Pass{pass.Infer, pass.Gradient, pass.Fold, pass.Recognize}
	found := pass.NewContext(m, pass.Options{})
	if err := pass.Run(m, before, found); err != nil {
		return 0, nil, err
	}
	return ins, slices.Concat(found.Warnings, merged, activatedTwice(m, opt.Loss.Name), otherAxis(m, &opt.Loss)), nil
}

// run runs passes without options, and verifies the graph after each.
func run(m *ir.Module, passes ...*pass.Pass) error { return pass.Run(m, passes, nil) }

func builder(m *ir.Module) *ir.Builder {
	return &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: "train/"}
}

// step is a training step under construction.
type step struct {
	m      *ir.Module
	opt    *Options
	b      *ir.Builder
	loss   *ir.Value
	each   bool // the losses are results, too
	rate   *ir.Value
	count  *ir.Value // the number of the update, from 1
	params []*ir.State
	inputs []int       // the inputs with gradients that are results
	dys    []*ir.Value // the gradients of the outputs, if there is no loss
	scale  *scaling    // nil if the loss is not scaled

	counter *ir.Value // number of updates so far
	drawn   *ir.Value // the position in the random stream, or nil if there are no random draws
}

// flush appends new nodes to the body.
func (s *step) flush() error {
	body := s.m.Main.Body
	body.Nodes = append(body.Nodes, s.b.Nodes...)
	s.b.Nodes = nil
	return s.b.Err()
}

// forward adds the targets and the loss. The results are the loss, the model's outputs, and the unreduced
// losses.
func (s *step) forward() (targets int, err error) {
	body := s.m.Main.Body
	if s.opt.Backward {
		return s.outside()
	}
	ins := len(body.Params)
	var each *ir.Value
	if s.loss, each, err = s.opt.Loss.build(s.b, body); err != nil {
		return 0, err
	}
	if err := s.flush(); err != nil {
		return 0, err
	}
	if n := ir.Size(s.loss.Type.Shape); !n.Is(1) {
		return 0, fmt.Errorf("the loss is %s, want one number: reduce it to its mean or its sum, or say none and give weights", s.loss.Type)
	}
	if body.Results[0] != s.loss {
		body.Results = append([]*ir.Value{s.loss}, body.Results...)
	}
	if each != nil && !slices.Contains(body.Results, each) {
		body.Results, s.each = append(body.Results, each), true
	}
	return len(body.Params) - ins, nil
}

// backward adds the gradients and the updates. The results are the loss and the gradients of the inputs,
// which are the first ins parameters of the body.
func (s *step) backward(ins int) error {
	body := s.m.Main.Body
	outputs := body.Results
	body.Results = nil
	if s.loss != nil {
		body.Results = []*ir.Value{s.loss}
	}
	for _, st := range s.m.Main.State {
		if st.Kind == ir.Parameter {
			s.params = append(s.params, st)
		}
	}
	if err := s.statistics(); err != nil {
		return err
	}
	grads, err := s.gradients(outputs, s.asked(body.Params[:ins]))
	if err != nil {
		return err
	}
	s.rate = &ir.Value{Name: s.m.FreshName("learning_rate"), Type: ir.TensorOf(tensor.Float32)}
	body.Params = append(body.Params, s.rate)
	if err := s.update(grads); err != nil {
		return err
	}
	s.random()
	return s.flush()
}

// gradients returns the gradients of the loss with respect to the parameters. States that the loss does not
// depend on become constants. Gradients with respect to inputs become results.
func (s *step) gradients(outputs, inputs []*ir.Value) ([]*ir.Value, error) {
	xs := slices.Clone(inputs)
	for _, p := range s.params {
		xs = append(xs, p.Param)
	}
	all, err := s.differentiate(outputs, xs)
	if err != nil {
		return nil, err
	}
	s.give(inputs, all[:len(inputs)])
	var params []*ir.State
	var grads []*ir.Value
	for i, g := range all[len(inputs):] {
		if g == nil {
			settle(s.m, s.params[i])
			continue
		}
		params, grads = append(params, s.params[i]), append(grads, g)
	}
	s.params = params
	if len(params) == 0 && !s.opt.Backward && len(inputs) == 0 { // a stage of a pipeline may only pass gradients on
		return nil, fmt.Errorf("%s: there is nothing to train: the loss depends on no float initializer", s.m.File)
	}
	return grads, nil
}

// differentiate returns the gradients with respect to xs, of the loss or of the outputs with given gradients.
// They are nil for values without influence.
func (s *step) differentiate(outputs, xs []*ir.Value) ([]*ir.Value, error) {
	if s.opt.Backward {
		seeds := s.seeds(outputs)
		if err := s.flush(); err != nil {
			return nil, err
		}
		return grad.PullbackEach(s.m, s.m.Main.Body, seeds, xs)
	}
	loss := s.scaled(s.loss)
	if err := s.flush(); err != nil {
		return nil, err
	}
	return grad.Each(s.m, s.m.Main.Body, loss, xs)
}

// settle makes a state a constant again.
func settle(m *ir.Module, st *ir.State) {
	st.Param.Const = st.Init
	m.Main.State = slices.DeleteFunc(m.Main.State, func(x *ir.State) bool { return x == st })
}

// state adds a state; a nil init means zero.
func (s *step) state(name string, kind ir.StateKind, t ir.Type, init *tensor.Tensor) *ir.State {
	st := &ir.State{Kind: kind, Param: &ir.Value{Name: s.m.FreshName(name), Type: t}, Init: init}
	st.Next = st.Param
	s.m.Main.State = append(s.m.Main.State, st)
	return st
}
