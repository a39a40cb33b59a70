// Package trained implements the role Model for an ONNX graph: its forward pass, its gradients and its
// optimizer are the trainer that bbgen has generated. A generated type, which embeds a [Model], has the types
// of its inputs and targets.
package trained

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Model is a trainable model. Its state, also in snapshots, is everything that a step changes: weights,
// moments, statistics and counters.
type Model struct {
	Rate float64 // the learning rate; 0: the trainer's own

	program model.TrainProgram
	session model.TrainSession
	weights []model.Variable
	flat    tensor.Dense[float32]

	gradients []float32             // of the weights; nil before the first use
	bucket    tensor.Dense[float32] // the part of them that is complete
	pass      *pass                 // the last one whose gradients are read in buckets; nil when all are read

	random []int64 // the state of the session's random stream; nil if it draws nothing
	drawn  int64   // the position of the next forward pass of a step in it, or the number of passes
}

// Begin sets the weights of the file. Random numbers, such as those of dropout, differ between peers.
func (m *Model) Begin(env runtime.Env, p model.TrainProgram) error {
	m.program = p
	s, err := p.New(runtime.SeedOf(env.Seed, env.Class, env.Rank))
	if err != nil {
		return err
	}
	m.session, m.weights = s, model.Trained(s.State())
	size := 0
	for _, v := range m.weights {
		if v.Value.DType != tensor.Float32 {
			return fmt.Errorf("%s: weight %s is %v, want float32", p.Name, v.Name, v.Value.DType)
		}
		size += v.Value.Len()
	}
	m.flat = tensor.DenseOf(make([]float32, size), size)
	for _, v := range s.State() {
		if v.Name == p.Random {
			m.random = tensor.Data[int64](v.Value)
			m.drawn = m.random[0]
		}
	}
	return nil
}

// Step makes one step with inputs and targets: it computes the gradients of a batch, and the optimizer updates
// the weights. It returns the loss.
func (m *Model) Step(ctx context.Context, in ...*tensor.Tensor) (float32, error) {
	if err := m.setInputs(ctx, in); err != nil {
		return 0, err
	}
	m.pass = nil
	loss, err := m.session.Step(m.rate())
	return float32(loss), err
}

// rate returns the learning rate.
func (m *Model) rate() float64 {
	if m.Rate != 0 {
		return m.Rate
	}
	return m.program.Rate
}

// Loss returns the loss of inputs for targets, computed as in inference.
func (m *Model) Loss(ctx context.Context, in ...*tensor.Tensor) (float32, error) {
	if err := m.setInputs(ctx, in); err != nil {
		return 0, err
	}
	loss, err := m.session.Eval()
	return float32(loss), err
}

// Infer computes the outputs for inputs as in inference.
func (m *Model) Infer(ctx context.Context, in ...*tensor.Tensor) error {
	if m.program.Loss != "" {
		zeros, err := m.zeroTargets(in)
		if err != nil {
			return err
		}
		in = slices.Concat(in, zeros)
	}
	_, err := m.Loss(ctx, in...)
	return err
}

// Ahead computes the outputs for inputs as a later step will, and returns a number for that step, with which it
// draws the same random numbers.
func (m *Model) Ahead(ctx context.Context, in ...*tensor.Tensor) (drawn int64, err error) {
	if err := m.setInputs(ctx, in); err != nil {
		return 0, err
	}
	if m.random != nil {
		drawn = m.drawn
		m.drawn++
		m.random[0] = drawn
	}
	return drawn, m.session.(model.ForwardSession).Forward()
}

// Back makes one step with inputs and the gradients of the outputs that Ahead has computed for them. It
// computes the outputs again, with the present weights: there may have been steps in between.
func (m *Model) Back(ctx context.Context, drawn int64, in ...*tensor.Tensor) error {
	if m.random != nil {
		m.random[0] = drawn
	}
	_, err := m.Step(ctx, in...)
	return err
}

// Output returns the model's output i, which the next call overwrites.
func (m *Model) Output(i int) tensor.Value { return m.session.Output(i) }

// Gradient returns the gradient of input i after a step, which the next call overwrites.
func (m *Model) Gradient(i int) tensor.Value { return m.session.(model.GradientSession).Gradient(i) }

// setInputs sets the inputs of the next step.
func (m *Model) setInputs(ctx context.Context, in []*tensor.Tensor) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.completePass()
	for i, x := range in {
		if err := m.session.SetInput(i, x); err != nil {
			return fmt.Errorf("%s: %w", m.name(i), err)
		}
	}
	return nil
}

// name returns the name of the i-th input or target.
func (m *Model) name(i int) string {
	if ins := m.program.Inputs; i < len(ins) {
		return "input " + ins[i].Name
	}
	return "target " + m.program.Targets[i-len(m.program.Inputs)].Name
}

// zeroTargets makes targets for inputs, if none are given.
func (m *Model) zeroTargets(in []*tensor.Tensor) (zeros []*tensor.Tensor, err error) {
	sizes := map[string]int{}
	for k, p := range m.program.Inputs {
		for i, d := range p.Dims {
			if i < len(in[k].Shape) {
				sizes[d] = in[k].Shape[i]
			}
		}
	}
	for _, p := range m.program.Targets {
		var want []int
		for _, d := range p.Dims {
			n, err := strconv.Atoi(d)
			if size, ok := sizes[d]; err != nil && ok {
				n = size
			} else if err != nil {
				return nil, fmt.Errorf("the size %s of target %s does not follow from the inputs", d, p.Name)
			}
			want = append(want, n)
		}
		zeros = append(zeros, tensor.New(p.Elem, want...))
	}
	return zeros, nil
}

// Dense converts a tensor value to a Dense.
func Dense[T tensor.Element](v tensor.Value) tensor.Dense[T] {
	t := v.(*tensor.Tensor)
	return tensor.DenseOf(tensor.Data[T](t), t.Shape...)
}

// Params returns the weights as one vector, in the order of the model. The next call overwrites them.
func (m *Model) Params() (tensor.Dense[float32], error) {
	gather(m.flat.Data, m.weights)
	return m.flat, nil
}

// LoadParameters sets the weights to those of an equal model's Params.
func (m *Model) LoadParameters(p tensor.Dense[float32]) error {
	if len(p.Data) != len(m.flat.Data) {
		return fmt.Errorf("got %d parameters, want %d", len(p.Data), len(m.flat.Data))
	}
	m.completePass()
	scatter(m.weights, p.Data)
	return nil
}

// gather concatenates variables.
func gather(dst []float32, vars []model.Variable) {
	for _, v := range vars {
		dst = dst[copy(dst, tensor.Data[float32](v.Value)):]
	}
}

// scatter undoes gather.
func scatter(vars []model.Variable, src []float32) {
	for _, v := range vars {
		src = src[copy(tensor.Data[float32](v.Value), src):]
	}
}

// ApplyDelta adds to the weights.
func (m *Model) ApplyDelta(d tensor.Dense[float32]) error {
	if len(d.Data) != len(m.flat.Data) {
		return fmt.Errorf("got %d differences, want %d", len(d.Data), len(m.flat.Data))
	}
	m.completePass()
	rest := d.Data
	for _, v := range m.weights {
		w := tensor.Data[float32](v.Value)
		for i := range w {
			w[i] += rest[i]
		}
		rest = rest[len(w):]
	}
	return nil
}

// AppendBinary appends everything that a step changes, and the position of the next step in the random stream.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendScalar(b, m.drawn)
	for i, v := range m.session.State() {
		b = values.AppendText(b, v.Name)
		n, x := len(b), v.Value.Bytes()
		if m.pass != nil && m.pass.before[i] != nil {
			x = m.pass.before[i]
		}
		b = append(b, x...)
		tensor.FixOrder(b[n:], v.Value.DType)
	}
	return b, nil
}

var errState = errors.New("the state is not of this model")

// UnmarshalBinary reads the output of AppendBinary. The model remains unchanged if that fails.
func (m *Model) UnmarshalBinary(b []byte) error {
	vars := m.session.State()
	parts := make([][]byte, len(vars))
	r := values.NewFields(b)
	var drawn int64
	values.ReadScalar(r, &drawn)
	for i, v := range vars {
		if name := r.Text(); name != v.Name {
			return fmt.Errorf("%w: got %q, want %q", errState, name, v.Name)
		}
		parts[i] = r.Bytes(len(v.Value.Bytes()))
	}
	if err := r.End(); err != nil {
		return fmt.Errorf("%w: %w", errState, err)
	}
	m.completePass()
	m.drawn, m.pass = drawn, nil
	for i, v := range vars {
		copy(v.Value.Bytes(), parts[i])
		tensor.FixOrder(v.Value.Bytes(), v.Value.DType)
	}
	return nil
}
