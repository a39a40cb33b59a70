package train

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/training"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// HasAlgorithm reports whether the file itself describes its training.
func HasAlgorithm(m *ir.Module) bool {
	return slices.ContainsFunc(m.Training, func(t *ir.Training) bool { return t.Algorithm != nil })
}

// algorithm is a training step under construction that the file describes (ONNX's training_info): the nodes
// of the model, followed by those of the algorithm. Constants that the file binds to results of the algorithm
// are states.
type algorithm struct {
	*step
	outputs []*ir.Value // of the model
	next    []*ir.Value // the next values of the states, in their order
}

// buildAlgorithm implements [Build] for the algorithm of the file.
func buildAlgorithm(m *ir.Module, opt *Options) (*Program, error) {
	if err := opt.checkAlgorithm(m); err != nil {
		return nil, fmt.Errorf("%s: %w", m.File, err)
	}
	t := m.Training[0]
	m.Training = nil
	if err := initialize(m, t); err != nil {
		return nil, fmt.Errorf("%s: %w", m.File, err)
	}
	a := &algorithm{step: &step{m: m, opt: opt, b: builder(m)}, outputs: m.Main.Body.Results}
	ins := len(m.Main.Body.Params)
	lossName, err := a.combine(t)
	if err != nil {
		return nil, err
	}
	p := &Program{Loss: lossName, Optimizer: "training_info"}
	if p.Rate, err = a.learningRate(); err != nil {
		return nil, err
	}
	p.Targets = len(m.Main.Body.Params) - 1 - ins
	if p.Eval, err = a.eval(); err != nil {
		return nil, err
	}
	a.count()
	a.random()
	if err := a.flush(); err != nil {
		return nil, err
	}
	p.Step, p.Count = m, a.counter.Name
	if a.drawn != nil {
		p.Random = a.drawn.Name
	}
	return p, nil
}

// checkAlgorithm rejects options that conflict with an algorithm of the file.
func (o *Options) checkAlgorithm(m *ir.Module) error {
	for name, given := range map[string]bool{
		"treating groups of parameters otherwise": o.Groups != nil, "choosing parameters": o.Freeze != nil || o.Train != nil,
		"clipping": o.ClipNorm != 0 || o.ClipValue != 0, "accumulation": o.Accumulate > 1,
		"an average": o.Average != 0, "keeping gradients": o.Gradients, "splitting a step": o.Split,
		"another precision": o.Precision != tensor.Undefined, "scaling the loss": o.Scale != LossScale{},
	} {
		if given {
			return fmt.Errorf("%s does not go with the file's own training algorithm: name a loss and an optimizer", name)
		}
	}
	switch {
	case !HasAlgorithm(m):
		return fmt.Errorf("the file does not say how it is trained: name a loss and an optimizer")
	case len(m.Training) > 1:
		return fmt.Errorf("the file has %d training algorithms, want one: name a loss and an optimizer instead", len(m.Training))
	}
	return nil
}

// combine appends the algorithm to the model, makes states of the constants that it updates, and returns the
// name of the loss.
func (a *algorithm) combine(t *ir.Training) (lossName string, err error) {
	own := a.m.Main.Consts()
	body, more := a.m.Main.Body, t.Algorithm.Body
	body.Params = append(body.Params, more.Params...)
	body.Nodes = append(body.Nodes, more.Nodes...)
	loss, err := lossOf(body, more.Results)
	if err != nil {
		return "", fmt.Errorf("%s: %w", a.m.File, err)
	}
	body.Results = append([]*ir.Value{loss}, a.outputs...)
	for _, u := range t.Updates {
		body.Results = append(body.Results, u.From)
	}
	// The file may name a value twice, in the model and in the algorithm: what it says is verified below, as a mistake of the
	// author's.
	if err := pass.Inline.Apply(a.m); err != nil {
		return "", err
	}
	if err := a.states(t.Updates, own); err != nil {
		return "", fmt.Errorf("%s: update_binding: %w", a.m.File, err)
	}
	if err := ir.Verify(a.m); err != nil {
		return "", fmt.Errorf("%s: the training algorithm does not go with the model: %w", a.m.File, err)
	}
	if err := run(a.m, pass.Infer, pass.Gradient); err != nil {
		return "", err
	}
	a.loss, a.outputs, a.next = body.Results[0], body.Results[1:1+len(a.outputs)], slices.Clone(body.Results[1+len(a.outputs):])
	if t := a.loss.Type; t.Kind != ir.Tensor || !t.Known() || !t.Elem.IsFloat() {
		return "", fmt.Errorf("%s: the training algorithm's loss %q is %s, want a number", a.m.File, a.loss.Name, t)
	}
	if err := a.checkNext(); err != nil {
		return "", fmt.Errorf("%s: update_binding: %w", a.m.File, err)
	}
	if !ir.Size(a.loss.Type.Shape).Is(1) { // the gradient is that of the sum
		a.loss = a.b.OpA("ReduceSum", attrs("keepdims", int64(0)), a.loss)
	}
	return loss.Name, a.flush()
}

// states makes states of the constants that a step updates. Those that the model itself reads are its
// parameters.
func (a *algorithm) states(updates []ir.Binding, own []*ir.Value) error {
	for _, u := range updates {
		switch {
		case !u.To.IsConst():
			return fmt.Errorf("%q is no initializer, or is given two values", u.To.Name)
		case u.To.Const.DType == tensor.String:
			return fmt.Errorf("%q holds strings, want numbers", u.To.Name)
		}
		kind := ir.OptimizerSlot
		if slices.Contains(own, u.To) && u.To.Const.DType.IsFloat() {
			kind = ir.Parameter
		}
		a.m.Main.State = append(a.m.Main.State, &ir.State{Kind: kind, Param: u.To, Next: u.To, Init: u.To.Const})
		u.To.Const = nil
	}
	return nil
}

// checkNext reports a state with a next value of a different type.
func (a *algorithm) checkNext() error {
	for i, s := range a.m.Main.State {
		if got, want := a.next[i].Type, s.Param.Type; got.Elem != want.Elem || !ir.SameShape(got.Shape, want.Shape) {
			return fmt.Errorf("%q is %s, its new value %q is %s", s.Param.Name, want, a.next[i].Name, got)
		}
	}
	return nil
}

// lossOf returns the value that the algorithm minimizes: the one that its Gradient differentiates, or its
// first result if there is none.
func lossOf(body *ir.Region, results []*ir.Value) (*ir.Value, error) {
	for _, n := range body.Nodes {
		if op.Lookup(n) != training.Gradient {
			continue
		}
		for _, x := range body.Nodes {
			for _, v := range x.Out {
				if v != nil && v.Name == n.Str("y") {
					return v, nil
				}
			}
		}
		return nil, fmt.Errorf("%s: nothing is called %q", n, n.Str("y"))
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("the training algorithm has neither a Gradient nor a result: what is its loss?")
	}
	return results[0], nil
}

// learningRate adds the learning rate as the last input. It replaces the rate that the algorithm's optimizers
// read, if that is a constant or an input. Otherwise the algorithm has its own rate, and the input is unused.
func (a *algorithm) learningRate() (value float64, err error) {
	body := a.m.Main.Body
	a.rate = &ir.Value{Name: a.m.FreshName("learning_rate"), Type: ir.TensorOf(tensor.Float32)}
	old := optimizerRate(body)
	input := slices.Index(body.Params, old)
	switch {
	case old == nil || !old.IsConst() && input < 0:
		body.Params = append(body.Params, a.rate)
		return 0, nil
	case input >= 0:
		value = defaultRate
		body.Params = slices.Delete(body.Params, input, input+1)
	default:
		value = number(old.Const)
	}
	rate := a.rate
	if len(old.Type.Shape) > 0 {
		ones := make([]int, len(old.Type.Shape))
		for i := range ones {
			ones[i] = 1
		}
		rate = a.b.Op("Reshape", rate, a.b.Ints(ones...))
	}
	if old.Type.Elem != tensor.Float32 {
		rate = a.b.OpA("Cast", attrs("to", int64(old.Type.Elem)), rate)
	}
	a.m.Main.ReplaceAll(old, rate)
	body.Params = append(body.Params, a.rate)
	body.Nodes = append(a.b.Nodes, body.Nodes...)
	a.b.Nodes = nil
	return value, a.b.Err()
}

// defaultRate is the default of a learning rate that the algorithm reads as an input.
const defaultRate = 1e-3

// optimizerRate returns the learning rate that all of ONNX's optimizers read and no other node does, or nil.
func optimizerRate(body *ir.Region) *ir.Value {
	var rate *ir.Value
	readers := 0
	for _, n := range body.Nodes {
		if o := op.Lookup(n); o != training.Adam && o != training.Adagrad && o != training.Momentum {
			continue
		}
		if rate != nil && n.In[0] != rate {
			return nil
		}
		rate = n.In[0]
		readers++
	}
	if rate != nil && len((&ir.Func{Body: body}).Uses()[rate]) != readers {
		return nil
	}
	return rate
}

// number returns the content of a float tensor of one element as the shortest decimal: 0.1, and not its
// float32 value.
func number(t *tensor.Tensor) float64 {
	switch d := t.Data.(type) {
	case []float32:
		v, _ := strconv.ParseFloat(strconv.FormatFloat(float64(d[0]), 'g', -1, 32), 64)
		return v
	case []float64:
		return d[0]
	}
	return 0
}

// eval returns the model with its loss in inference mode. The original remains as the step.
func (a *algorithm) eval() (*ir.Module, error) {
	body := a.m.Main.Body
	body.Results = append([]*ir.Value{a.loss}, a.outputs...)
	eval := a.m.Clone()
	eval.Main.Body.Params = eval.Main.Body.Params[:len(body.Params)-1]
	if err := run(eval, pass.DCE); err != nil {
		return nil, err
	}
	body.Results = body.Results[:1]
	for i, s := range a.m.Main.State {
		s.Next = a.next[i]
	}
	return inference(eval, a.m), nil
}

// count adds the state that counts the updates.
func (a *algorithm) count() {
	count := a.state("step", ir.OptimizerSlot, ir.TensorOf(tensor.Int64), nil)
	count.Next = a.b.Op("Add", count.Param, a.b.Scalar(tensor.Int64, 1))
	a.counter = count.Param
}
