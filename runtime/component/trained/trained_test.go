package trained

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// line is a session of y = w·x + b with momentum, like the trainer of a file with two weights.
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

func (l *line) State() []model.Variable {
	return []model.Variable{{Name: "w", Value: l.w}, {Name: "b", Value: l.b}, {Name: "w.moment", Kind: model.Private, Value: l.moment}}
}

// opened returns a model of that session, and the session.
func opened(t *testing.T, change func(*model.TrainProgram)) (*Model, *line, error) {
	t.Helper()
	l := newLine()
	p := model.TrainProgram{Name: "line", Loss: "mse", Rate: 0.125,
		Inputs:  []model.Port{{Name: "x", Elem: tensor.Float32, Dims: []string{"n"}}},
		Targets: []model.Port{{Name: "t", Elem: tensor.Float32, Dims: []string{"n"}}},
		New:     func(uint64) (model.TrainSession, error) { return l, nil },
	}
	if change != nil {
		change(&p)
	}
	m := &Model{}
	return m, l, m.Begin(runtime.Env{Seed: 1, Class: "client"}, p)
}

func vector(x ...float32) tensor.Dense[float32] { return tensor.DenseOf(x, len(x)) }

func params(t *testing.T, m *Model) []float32 {
	t.Helper()
	p, err := m.Params()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(p.Data)
}

// A step returns the loss before it, and moves the weights by the program's rate or by the configured one.
func TestSteps(t *testing.T) {
	m, l, err := opened(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := params(t, m); !slices.Equal(got, []float32{2, 0.5}) {
		t.Errorf("it begins with %v, want the file's 2 and 0.5", got)
	}
	loss, err := m.Step(t.Context(), tensor.Of([]float32{1, 1}, 2), tensor.Of([]float32{2, 2}, 2))
	if err != nil || loss != 0.25 || l.rate != 0.125 {
		t.Errorf("loss %v at rate %v (%v), want 0.25 at 0.125", loss, l.rate, err)
	}
	if got := params(t, m); !slices.Equal(got, []float32{1.875, 0.375}) {
		t.Errorf("after a step the weights are %v, want 1.875 and 0.375", got)
	}
	m.Rate = 0.5
	if _, err := m.Step(t.Context(), tensor.Of([]float32{1}, 1), tensor.Of([]float32{2}, 1)); err != nil || l.rate != 0.5 {
		t.Errorf("rate %v (%v), want the slot's 0.5", l.rate, err)
	}
	if err := m.Infer(t.Context(), tensor.Of([]float32{0, 0, 0}, 3)); err != nil || len(Dense[float32](m.Output(0)).Data) != 3 {
		t.Errorf("for three inputs it gives %v, %v", m.Output(0), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Step(ctx, tensor.Of([]float32{1}, 1), tensor.Of([]float32{2}, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a step that need not be: %v", err)
	}
}

// Parameters can be moved from one model to another; a model continues from its state, and refuses that of
// another model.
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
	step := func(m *Model) {
		if _, err := m.Step(t.Context(), tensor.Of([]float32{1, 2}, 2), tensor.Of([]float32{3, 1}, 2)); err != nil {
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

// An impossible model for a slot is reported when the peer starts, or when it computes a forward pass for which
// targets cannot be made.
func TestUnfit(t *testing.T) {
	for want, change := range map[string]func(*model.TrainProgram){
		"no memory": func(p *model.TrainProgram) {
			p.New = func(uint64) (model.TrainSession, error) { return nil, errors.New("no memory") }
		},
		"weight w is float64, want float32": func(p *model.TrainProgram) {
			l := newLine()
			l.w = tensor.Of([]float64{1}, 1)
			p.New = func(uint64) (model.TrainSession, error) { return l, nil }
		},
	} {
		if _, _, err := opened(t, change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	m, _, err := opened(t, func(p *model.TrainProgram) { p.Targets[0].Dims = []string{"words"} })
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Infer(t.Context(), tensor.Of([]float32{1}, 1)); err == nil || !strings.Contains(err.Error(), "the size words of target t does not follow from the inputs") {
		t.Errorf("got %v", err)
	}
}

// half is a session without a loss that draws a number: y = w·x + draw.
type half struct {
	*line
	at *tensor.Tensor
}

func (h *half) Forward() error {
	h.y = h.y[:0]
	for _, x := range h.x {
		h.y = append(h.y, tensor.Data[float32](h.w)[0]*x+float32(h.drawn()))
	}
	return nil
}

func (h *half) drawn() int64 { return tensor.Data[int64](h.at)[0] }

// Step records its inputs in the weight: the input, the gradient, and the random number.
func (h *half) Step(float64) (float64, error) {
	tensor.Data[float32](h.w)[0] = h.x[0] + h.t[0]*float32(h.drawn())
	tensor.Data[int64](h.at)[0]++
	return 0, nil
}

func (h *half) State() []model.Variable {
	return append(h.line.State(), model.Variable{Name: "random", Kind: model.Private, Value: h.at})
}

// Two forward passes are active at a time, and their gradients come in the opposite order: each step draws the
// numbers of its own forward pass, and a restored model continues to draw.
func TestBackward(t *testing.T) {
	part := func() (*Model, *half) {
		h := &half{newLine(), tensor.Of([]int64{10})}
		m, _, err := opened(t, func(p *model.TrainProgram) {
			p.Loss, p.Random = "", "random"
			p.New = func(uint64) (model.TrainSession, error) { return h, nil }
		})
		if err != nil {
			t.Fatal(err)
		}
		return m, h
	}
	m, h := part()
	one := tensor.Of([]float32{1}, 1)
	var drawn []int64
	for i := range 2 {
		d, err := m.Ahead(t.Context(), one)
		if y := Dense[float32](m.Output(0)).Data[0]; err != nil || y != 2+float32(10+i) {
			t.Errorf("forward pass %d gives %v (%v), want the weight and %d", i, y, err, 10+i)
		}
		drawn = append(drawn, d)
	}
	for i := range slices.Backward(drawn) {
		if err := m.Back(t.Context(), drawn[i], one, tensor.Of([]float32{100}, 1)); err != nil {
			t.Fatal(err)
		}
		if w := tensor.Data[float32](h.w)[0]; w != 1+100*float32(10+i) {
			t.Errorf("the step of forward pass %d was computed with %v, want 1 + 100 times %d", i, w, 10+i)
		}
	}
	state, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := part()
	if err := again.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	if d, err := again.Ahead(t.Context(), one); err != nil || d != 12 {
		t.Errorf("the third forward pass draws %d (%v), want 12", d, err)
	}
}

// halves is a line whose step is two halves.
type halves struct {
	*line
	dw, db *tensor.Tensor
}

func (h *halves) Gradients() (float64, error) {
	loss, err := h.Eval()
	w, b := tensor.Data[float32](h.dw), tensor.Data[float32](h.db)
	w[0], b[0] = 0, 0
	for i, x := range h.x {
		d := 2 * (h.y[i] - h.t[i]) / float32(len(h.x))
		w[0], b[0] = w[0]+d*x, b[0]+d
	}
	return loss, err
}

func (h *halves) ParameterGradients() []model.Variable {
	return []model.Variable{{Name: "w", Value: h.dw}, {Name: "b", Value: h.db}}
}

func (h *halves) ApplyGradients(rate float64) error {
	tensor.Data[float32](h.w)[0] -= float32(rate) * tensor.Data[float32](h.dw)[0]
	tensor.Data[float32](h.b)[0] -= float32(rate) * tensor.Data[float32](h.db)[0]
	return nil
}

// Gradients changes no weight; the applied gradients may differ from the computed ones.
func TestGradients(t *testing.T) {
	m, _, err := opened(t, func(p *model.TrainProgram) {
		p.New = func(uint64) (model.TrainSession, error) {
			return &halves{newLine(), tensor.Of([]float32{0}, 1), tensor.Of([]float32{0}, 1)}, nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	loss, err := m.Differentiate(t.Context(), tensor.Of([]float32{1, 3}, 2), tensor.Of([]float32{2, 6}, 2))
	if g := m.ParameterGradients().Data; err != nil || loss != 0.25 || !slices.Equal(g, []float32{2, 1}) {
		t.Errorf("loss %v, gradients %v (%v), want 0.25 and [2 1]", loss, g, err)
	}
	if got := params(t, m); !slices.Equal(got, []float32{2, 0.5}) {
		t.Errorf("the weights are %v before the gradients are applied", got)
	}
	if err := m.ApplyGradients(t.Context(), vector(8, -16)); err != nil {
		t.Fatal(err)
	}
	if got := params(t, m); !slices.Equal(got, []float32{1, 2.5}) {
		t.Errorf("after gradients of 8 and -16 at a rate of 0.125 the weights are %v, want 1 and 2.5", got)
	}
	if err := m.ApplyGradients(t.Context(), vector(1)); err == nil || !strings.Contains(err.Error(), "want 2") {
		t.Errorf("gradients of another model: %v", err)
	}
}
