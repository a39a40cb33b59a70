// Package trained is the role Model for an ONNX graph: its forward pass, its
// gradients and its optimizer are the trainer that bbgen has made of it. The types
// of its inputs and targets are those of a generated type, which has a [Model].
package trained

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Model trains. What it keeps between calls, and in snapshots, is all that a step
// changes: weights, moments, statistics and counters.
type Model struct {
	Rate float64 // the learning rate; 0: the trainer's own

	program runtime.TrainProgram
	session runtime.TrainSession
	weights []runtime.Variable
	flat    tensor.Dense[float32]

	gradients tensor.Dense[float32] // of the weights; empty before the first are asked for

	random []int64 // where the session's random stream stands; nil if it draws nothing
	drawn  int64   // where the next forward pass of a step begins in it
}

// Begin makes the model begin with the weights of its file. Random numbers, such
// as those of dropout, are the peer's own.
func (m *Model) Begin(env runtime.Env, p runtime.TrainProgram) error {
	m.program = p
	s, err := p.New(runtime.SeedOf(env.Seed, env.Class, env.Rank))
	if err != nil {
		return err
	}
	m.session, m.weights = s, runtime.Trained(s.State())
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

// Step is one step with inputs and targets: gradients of a batch, and what the
// optimizer makes of the weights. It returns the loss.
func (m *Model) Step(ctx context.Context, in ...*tensor.Tensor) (float32, error) {
	if err := m.give(ctx, in); err != nil {
		return 0, err
	}
	loss, err := m.session.Step(m.rate())
	return float32(loss), err
}

// rate is the learning rate.
func (m *Model) rate() float64 {
	if m.Rate != 0 {
		return m.Rate
	}
	return m.program.Rate
}

// Loss is the loss of inputs for targets, as inference computes it.
func (m *Model) Loss(ctx context.Context, in ...*tensor.Tensor) (float32, error) {
	if err := m.give(ctx, in); err != nil {
		return 0, err
	}
	loss, err := m.session.Eval()
	return float32(loss), err
}

// Infer computes the outputs for inputs, as inference does.
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

// Ahead computes the outputs for inputs as a step will, which is told the number
// that this returns: it draws the same at random.
func (m *Model) Ahead(ctx context.Context, in ...*tensor.Tensor) (drawn int64, err error) {
	if err := m.give(ctx, in); err != nil {
		return 0, err
	}
	if m.random != nil {
		drawn = m.drawn
		m.drawn++
		m.random[0] = drawn
	}
	return drawn, m.session.(runtime.ForwardSession).Forward()
}

// Back is one step with inputs and the gradients of the outputs that Ahead has
// computed for them. It computes them again, with the weights of now: there may have
// been steps between the two.
func (m *Model) Back(ctx context.Context, drawn int64, in ...*tensor.Tensor) error {
	if m.random != nil {
		m.random[0] = drawn
	}
	_, err := m.Step(ctx, in...)
	return err
}

// Output is the model's output i, which the next call overwrites.
func (m *Model) Output(i int) tensor.Value { return m.session.Output(i) }

// Gradient is that of input i after a step, which the next call overwrites.
func (m *Model) Gradient(i int) tensor.Value { return m.session.(runtime.GradientSession).Gradient(i) }

// give makes tensors the inputs of the next step.
func (m *Model) give(ctx context.Context, in []*tensor.Tensor) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, x := range in {
		if err := m.session.SetInput(i, x); err != nil {
			return fmt.Errorf("%s: %w", m.name(i), err)
		}
	}
	return nil
}

// name says which input or target is the i-th.
func (m *Model) name(i int) string {
	if ins := m.program.Inputs; i < len(ins) {
		return "input " + ins[i].Name
	}
	return "target " + m.program.Targets[i-len(m.program.Inputs)].Name
}

// zeroTargets makes targets that fit inputs, where nobody has said any.
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

// Dense is a value that is a tensor, as peers have it.
func Dense[T tensor.Element](v tensor.Value) tensor.Dense[T] {
	t := v.(*tensor.Tensor)
	return tensor.DenseOf(tensor.Data[T](t), t.Shape...)
}

// Params are the weights, one behind the other in the order of the model. The
// next call overwrites them.
func (m *Model) Params() (tensor.Dense[float32], error) {
	gather(m.flat.Data, m.weights)
	return m.flat, nil
}

// LoadParameters makes the weights those that Params of an equal model has
// given.
func (m *Model) LoadParameters(p tensor.Dense[float32]) error {
	if len(p.Data) != len(m.flat.Data) {
		return fmt.Errorf("got %d parameters, want %d", len(p.Data), len(m.flat.Data))
	}
	scatter(m.weights, p.Data)
	return nil
}

// gather puts variables one behind the other.
func gather(dst []float32, vars []runtime.Variable) {
	for _, v := range vars {
		dst = dst[copy(dst, tensor.Data[float32](v.Value)):]
	}
}

// scatter undoes gather.
func scatter(vars []runtime.Variable, src []float32) {
	for _, v := range vars {
		src = src[copy(tensor.Data[float32](v.Value), src):]
	}
}

// ApplyDelta adds to the weights.
func (m *Model) ApplyDelta(d tensor.Dense[float32]) error {
	if len(d.Data) != len(m.flat.Data) {
		return fmt.Errorf("got %d differences, want %d", len(d.Data), len(m.flat.Data))
	}
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

// AppendBinary appends all that a step changes, and where in the random stream the
// next one begins.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	b = runtime.AppendScalar(b, m.drawn)
	for _, v := range m.session.State() {
		b = runtime.AppendText(b, v.Name)
		n := len(b)
		b = append(b, v.Value.Bytes()...)
		tensor.FixOrder(b[n:], v.Value.DType)
	}
	return b, nil
}

var errState = errors.New("the state is not of this model")

// UnmarshalBinary sets what AppendBinary has written. The model stays as it is
// if that fails.
func (m *Model) UnmarshalBinary(b []byte) error {
	vars := m.session.State()
	parts := make([][]byte, len(vars))
	r := runtime.NewFields(b)
	var drawn int64
	runtime.ReadScalar(r, &drawn)
	for i, v := range vars {
		if name := r.Text(); name != v.Name {
			return fmt.Errorf("%w: got %q, want %q", errState, name, v.Name)
		}
		parts[i] = r.Bytes(len(v.Value.Bytes()))
	}
	if err := r.End(); err != nil {
		return fmt.Errorf("%w: %w", errState, err)
	}
	m.drawn = drawn
	for i, v := range vars {
		copy(v.Value.Bytes(), parts[i])
		tensor.FixOrder(v.Value.Bytes(), v.Value.DType)
	}
	return nil
}
