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

// Program is a model that is trained.
type Program struct {
	// Step is one step of training. It reads the model's inputs, the targets
	// and the learning rate; its results are the loss, if there is one, and the
	// gradients of the inputs, if they are asked for.
	Step *ir.Module

	// Update is the other half of a step that is split, nil if none is. Step then ends
	// with the gradients, which are states, and Update reads them and the learning
	// rate. Both halves have the same states.
	Update *ir.Module

	// Eval reads the model's inputs and the targets, and gives the loss and the
	// model's outputs as inference does; behind them the losses of a reduction
	// none. Its states are the parameters and the statistics of Step under the
	// same names, and stay as they are.
	Eval *ir.Module

	// Forward gives the model's outputs as Step computes them: with dropout, with
	// the statistics of the batch. It is nil where these are those of Eval, and
	// where nobody asks for them: a step with a loss has no other half.
	Forward *ir.Module

	Loss      string  // what is made small
	Optimizer string  // what makes it small
	Rate      float64 // the learning rate, unless the caller has another

	Each    bool   // the last result of Eval is the losses that were not reduced
	Targets int    // how many inputs are targets
	Inputs  []int  // the inputs whose gradients are results of Step, in their order
	Count   string // the state that counts the updates
	Random  string // the state that counts random draws, "" if there are none
}

// Build makes a training step of a model whose parameters are initializers.
// Without a loss and an optimizer it is the step that the file itself describes.
// It rewrites m.
func Build(m *ir.Module, opt Options) (*Program, error) {
	if opt.Loss.Name == "" && opt.Optimizer.Name == "" {
		return buildAlgorithm(m, &opt)
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	m.Training = nil
	if err := pass.Inline.Apply(m); err != nil {
		return nil, err
	}
	ins := len(m.Main.Body.Params)
	if err := findStates(m, &opt); err != nil {
		return nil, err
	}
	before := []*pass.Pass{pass.Infer, pass.Gradient, pass.Fold, pass.Recognize}
	if err := pass.Run(m, before, nil); err != nil {
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
		Loss: opt.Loss.Name, Optimizer: opt.Optimizer.Name, Rate: opt.Optimizer.Rate,
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
	// Gradients of what is no parameter go away now: later passes ask who reads a value.
	if err := pass.DCE.Apply(m); err != nil {
		return nil, err
	}
	p.Eval = inference(eval, m)
	if s.drawn != nil {
		p.Random = s.drawn.Name
	}
	return p, nil
}

func builder(m *ir.Module) *ir.Builder {
	return &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: "train/"}
}

// step is a training step that grows.
type step struct {
	m      *ir.Module
	opt    *Options
	b      *ir.Builder
	loss   *ir.Value
	each   bool // the losses are results, too
	rate   *ir.Value
	count  *ir.Value // the number of the update, from 1 on
	params []*ir.State
	inputs []int       // the inputs whose gradients are results
	dys    []*ir.Value // the gradients of the outputs, if there is no loss
	scale  *scaling    // nil: the loss is not scaled

	counter *ir.Value // the updates so far
	drawn   *ir.Value // the position in the random stream, nil if nobody draws
}

// flush appends what was built to the body.
func (s *step) flush() error {
	body := s.m.Main.Body
	body.Nodes = append(body.Nodes, s.b.Nodes...)
	s.b.Nodes = nil
	return s.b.Err()
}

// forward adds the targets and the loss; the results are the loss, the model's
// outputs, and the losses that were not reduced.
func (s *step) forward() (targets int, err error) {
	body := s.m.Main.Body
	if len(body.Results) == 0 {
		return 0, fmt.Errorf("the model has no output")
	}
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

// backward adds the gradients and the updates; the results are the loss and the
// gradients of the inputs, the first ins parameters of the body.
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

// gradients returns the gradients of the loss with respect to the parameters. What
// the loss does not depend on is no parameter. Those with respect to inputs become
// results.
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
	if len(params) == 0 {
		return nil, fmt.Errorf("%s: there is nothing to train: the loss depends on no float initializer", s.m.File)
	}
	return grads, nil
}

// differentiate returns the gradients with respect to xs: of the loss, or of the outputs
// whose gradients are given. What they do not depend on has none.
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

// state adds a state; a nil init is zero.
func (s *step) state(name string, kind ir.StateKind, t ir.Type, init *tensor.Tensor) *ir.State {
	st := &ir.State{Kind: kind, Param: &ir.Value{Name: s.m.FreshName(name), Type: t}, Init: init}
	st.Next = st.Param
	s.m.Main.State = append(s.m.Main.State, st)
	return st
}
