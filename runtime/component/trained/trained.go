// Package trained is the role Model for an ONNX graph: its forward pass, its
// gradients and its optimizer are the trainer that bbgen has made of it.
package trained

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Model trains on inputs of X and targets of Y. What it keeps between calls, and
// in snapshots, is all that a step changes: weights, moments, statistics and
// counters.
type Model[X, Y tensor.Element] struct {
	Program func() runtime.TrainProgram // of the generated trainer
	Rate    float64                     // the learning rate; 0: the trainer's own

	program runtime.TrainProgram
	session runtime.TrainSession
	weights []runtime.Variable
	flat    tensor.Dense[float32]
	targets tensor.Dense[Y] // zeros, where nobody has said any
}

// Open makes the model begin with the weights of its file. Random numbers, such
// as those of dropout, are the peer's own.
func (m *Model[X, Y]) Open(env runtime.Env) error {
	m.program = m.Program()
	if len(m.program.Inputs) != 1 || len(m.program.Targets) != 1 {
		return fmt.Errorf("%s has %d inputs and %d targets, want 1 of each", m.program.Name, len(m.program.Inputs), len(m.program.Targets))
	}
	s, err := m.program.New(runtime.SeedOf(env.Seed, env.Class, env.Rank))
	if err != nil {
		return err
	}
	m.session, m.weights = s, runtime.Trained(s.State())
	size := 0
	for _, v := range m.weights {
		if v.Value.DType != tensor.Float32 {
			return fmt.Errorf("%s: weight %s is %v, want float32", m.program.Name, v.Name, v.Value.DType)
		}
		size += v.Value.Len()
	}
	m.flat = tensor.DenseOf(make([]float32, size), size)
	return nil
}

// TrainStep is one step: gradients of a batch, and what the optimizer makes of
// the weights. It returns the loss.
func (m *Model[X, Y]) TrainStep(ctx context.Context, x tensor.Dense[X], t tensor.Dense[Y]) (float32, error) {
	if err := m.give(ctx, x, t); err != nil {
		return 0, err
	}
	rate := m.Rate
	if rate == 0 {
		rate = m.program.Rate
	}
	loss, err := m.session.Step(rate)
	return float32(loss), err
}

// ComputeLoss is the loss of x for the targets t, as inference computes it.
func (m *Model[X, Y]) ComputeLoss(ctx context.Context, x tensor.Dense[X], t tensor.Dense[Y]) (float32, error) {
	if err := m.give(ctx, x, t); err != nil {
		return 0, err
	}
	loss, err := m.session.Eval()
	return float32(loss), err
}

// Forward is the model's first output for x.
func (m *Model[X, Y]) Forward(ctx context.Context, x tensor.Dense[X]) (tensor.Dense[float32], error) {
	if err := m.zeroTargets(x.Shape); err != nil {
		return tensor.Dense[float32]{}, err
	}
	if _, err := m.ComputeLoss(ctx, x, m.targets); err != nil {
		return tensor.Dense[float32]{}, err
	}
	y, ok := m.session.Output(0).(*tensor.Tensor)
	if !ok || y.DType != tensor.Float32 {
		return tensor.Dense[float32]{}, fmt.Errorf("the output of %s is %v, want float32", m.program.Name, m.session.Output(0))
	}
	return tensor.DenseOf(tensor.Data[float32](y), y.Shape...), nil
}

// give makes a batch the inputs of the next step.
func (m *Model[X, Y]) give(ctx context.Context, x tensor.Dense[X], t tensor.Dense[Y]) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := m.session.SetInput(0, x.Tensor()); err != nil {
		return fmt.Errorf("input %s: %w", m.program.Inputs[0].Name, err)
	}
	if err := m.session.SetInput(1, t.Tensor()); err != nil {
		return fmt.Errorf("target %s: %w", m.program.Targets[0].Name, err)
	}
	return nil
}

// zeroTargets makes targets that fit inputs of a shape.
func (m *Model[X, Y]) zeroTargets(shape []int) error {
	in, out := m.program.Inputs[0], m.program.Targets[0]
	sizes := map[string]int{}
	for i, d := range in.Dims {
		if i < len(shape) {
			sizes[d] = shape[i]
		}
	}
	var want []int
	for _, d := range out.Dims {
		n, err := strconv.Atoi(d)
		if size, ok := sizes[d]; err != nil && ok {
			n = size
		} else if err != nil {
			return fmt.Errorf("the size %s of target %s does not follow from input %s", d, out.Name, in.Name)
		}
		want = append(want, n)
	}
	m.targets.Resize(want...)
	clear(m.targets.Data)
	return nil
}

// Params are the weights, one behind the other in the order of the model. The
// next call overwrites them.
func (m *Model[X, Y]) Params() (tensor.Dense[float32], error) {
	at := 0
	for _, v := range m.weights {
		at += copy(m.flat.Data[at:], tensor.Data[float32](v.Value))
	}
	return m.flat, nil
}

// LoadParameters makes the weights those that Params of an equal model has
// given.
func (m *Model[X, Y]) LoadParameters(p tensor.Dense[float32]) error {
	if len(p.Data) != len(m.flat.Data) {
		return fmt.Errorf("got %d parameters, want %d", len(p.Data), len(m.flat.Data))
	}
	at := 0
	for _, v := range m.weights {
		at += copy(tensor.Data[float32](v.Value), p.Data[at:])
	}
	return nil
}

// ApplyDelta adds to the weights.
func (m *Model[X, Y]) ApplyDelta(d tensor.Dense[float32]) error {
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

// AppendBinary appends all that a step changes.
func (m *Model[X, Y]) AppendBinary(b []byte) ([]byte, error) {
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
func (m *Model[X, Y]) UnmarshalBinary(b []byte) error {
	vars := m.session.State()
	parts := make([][]byte, len(vars))
	r := runtime.NewFields(b)
	for i, v := range vars {
		if name := r.Text(); name != v.Name {
			return fmt.Errorf("%w: got %q, want %q", errState, name, v.Name)
		}
		parts[i] = r.Bytes(len(v.Value.Bytes()))
	}
	if err := r.End(); err != nil {
		return fmt.Errorf("%w: %w", errState, err)
	}
	for i, v := range vars {
		copy(v.Value.Bytes(), parts[i])
		tensor.FixOrder(v.Value.Bytes(), v.Value.DType)
	}
	return nil
}
