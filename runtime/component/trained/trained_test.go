package trained

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// line is a session of y = w·x + b with momentum, as the trainer of a file with
// two weights would be.
type line struct {
	w, b, moment *tensor.Tensor
	x, t, y      []float32
	rate         float64 // of the last step
}

func newLine() *line {
	return &line{w: tensor.Of([]float32{2}, 1), b: tensor.Of([]float32{0.5}, 1), moment: tensor.Of([]float32{0, 0}, 2)}
}

func (l *line) SetInput(i int, v tensor.Value) error {
	t, ok := v.(*tensor.Tensor)
	switch {
	case !ok || len(t.Shape) != 1:
		return errors.New("want one axis")
	case i == 0:
		l.x = tensor.Data[float32](t)
	default:
		l.t = tensor.Data[float32](t)
	}
	return nil
}

func (l *line) Eval() (float64, error) {
	l.y = l.y[:0]
	sum := 0.0
	for i, x := range l.x {
		y := tensor.Data[float32](l.w)[0]*x + tensor.Data[float32](l.b)[0]
		l.y = append(l.y, y)
		sum += float64((y - l.t[i]) * (y - l.t[i]))
	}
	return sum / float64(len(l.x)), nil
}

func (l *line) Step(rate float64) (float64, error) {
	loss, err := l.Eval()
	m := tensor.Data[float32](l.moment)
	l.rate = rate
	for i, x := range l.x {
		d := 2 * (l.y[i] - l.t[i]) / float32(len(l.x))
		m[0], m[1] = m[0]+d*x, m[1]+d
	}
	tensor.Data[float32](l.w)[0] -= float32(rate) * m[0]
	tensor.Data[float32](l.b)[0] -= float32(rate) * m[1]
	return loss, err
}

func (l *line) Output(int) tensor.Value { return tensor.Of(l.y, len(l.y)) }

func (l *line) State() []runtime.Variable {
	return []runtime.Variable{{Name: "w", Value: l.w}, {Name: "b", Value: l.b}, {Name: "w.moment", Kind: runtime.Private, Value: l.moment}}
}

// opened is a model of that session, and the session.
func opened(t *testing.T, change func(*runtime.TrainProgram)) (*Model[float32, float32], *line, error) {
	t.Helper()
	l := newLine()
	p := runtime.TrainProgram{Name: "line", Rate: 0.125,
		Inputs:  []runtime.Port{{Name: "x", Dims: []string{"n"}}},
		Targets: []runtime.Port{{Name: "t", Dims: []string{"n"}}},
		New:     func(uint64) (runtime.TrainSession, error) { return l, nil },
	}
	if change != nil {
		change(&p)
	}
	m := &Model[float32, float32]{Program: func() runtime.TrainProgram { return p }}
	return m, l, m.Open(runtime.Env{Seed: 1, Class: "client"})
}

func vector(x ...float32) tensor.Dense[float32] { return tensor.DenseOf(x, len(x)) }

func params(t *testing.T, m *Model[float32, float32]) []float32 {
	t.Helper()
	p, err := m.Params()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(p.Data)
}

// A step gives the loss before it, and moves the weights by the program's rate or
// by the one that the slot says.
func TestSteps(t *testing.T) {
	m, l, err := opened(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := params(t, m); !slices.Equal(got, []float32{2, 0.5}) {
		t.Errorf("it begins with %v, want the file's 2 and 0.5", got)
	}
	loss, err := m.TrainStep(t.Context(), vector(1, 1), vector(2, 2))
	if err != nil || loss != 0.25 || l.rate != 0.125 {
		t.Errorf("loss %v at rate %v (%v), want 0.25 at 0.125", loss, l.rate, err)
	}
	if got := params(t, m); !slices.Equal(got, []float32{1.875, 0.375}) {
		t.Errorf("after a step the weights are %v, want 1.875 and 0.375", got)
	}
	m.Rate = 0.5
	if _, err := m.TrainStep(t.Context(), vector(1), vector(2)); err != nil || l.rate != 0.5 {
		t.Errorf("rate %v (%v), want the slot's 0.5", l.rate, err)
	}
	if y, err := m.Forward(t.Context(), vector(0, 0, 0)); err != nil || len(y.Data) != 3 {
		t.Errorf("for three inputs it gives %v, %v", y.Data, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.TrainStep(ctx, vector(1), vector(2)); !errors.Is(err, context.Canceled) {
		t.Errorf("a step that need not be: %v", err)
	}
}

// Parameters go from one model to another; a model goes on from its state as it
// would have, and takes nobody else's.
func TestParametersAndState(t *testing.T) {
	a, _, _ := opened(t, nil)
	b, _, _ := opened(t, nil)
	if err := a.LoadParameters(vector(3, 4)); err != nil {
		t.Fatal(err)
	}
	if err := a.ApplyDelta(vector(-1, 1)); err != nil {
		t.Fatal(err)
	}
	if got := params(t, a); !slices.Equal(got, []float32{2, 5}) {
		t.Errorf("the weights are %v, want 2 and 5", got)
	}
	for _, err := range []error{a.LoadParameters(vector(1)), a.ApplyDelta(vector(1, 2, 3))} {
		if err == nil || !strings.Contains(err.Error(), "want 2") {
			t.Errorf("parameters of another model: %v", err)
		}
	}
	step := func(m *Model[float32, float32]) {
		if _, err := m.TrainStep(t.Context(), vector(1, 2), vector(3, 1)); err != nil {
			t.Fatal(err)
		}
	}
	step(a)
	state, err := a.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{nil, state[1:], state[:len(state)-1], append(slices.Clone(state), 0)} {
		if err := b.UnmarshalBinary(bad); err == nil {
			t.Errorf("%d bytes of %d are taken for a state", len(bad), len(state))
		}
	}
	if got := params(t, b); !slices.Equal(got, []float32{2, 0.5}) {
		t.Errorf("after states that were refused the weights are %v", got)
	}
	if err := b.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	step(a)
	step(b)
	if x, y := params(t, a), params(t, b); !slices.Equal(x, y) {
		t.Errorf("one goes on to %v, the other, from its state, to %v", x, y)
	}
}

// What a slot cannot hold is said when the peer starts, or asks for a forward
// pass whose targets nobody can make up.
func TestUnfit(t *testing.T) {
	for want, change := range map[string]func(*runtime.TrainProgram){
		"line has 2 inputs and 1 targets": func(p *runtime.TrainProgram) { p.Inputs = append(p.Inputs, p.Inputs[0]) },
		"no memory": func(p *runtime.TrainProgram) {
			p.New = func(uint64) (runtime.TrainSession, error) { return nil, errors.New("no memory") }
		},
		"weight w is float64, want float32": func(p *runtime.TrainProgram) {
			l := newLine()
			l.w = tensor.Of([]float64{1}, 1)
			p.New = func(uint64) (runtime.TrainSession, error) { return l, nil }
		},
	} {
		if _, _, err := opened(t, change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	m, _, err := opened(t, func(p *runtime.TrainProgram) { p.Targets[0].Dims = []string{"words"} })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Forward(t.Context(), vector(1)); err == nil || !strings.Contains(err.Error(), "the size words of target t does not follow from input x") {
		t.Errorf("got %v", err)
	}
}
