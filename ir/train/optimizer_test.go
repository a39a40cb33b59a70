package train

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// optimizerCases has the values of [firstWeights] after three steps with [gradients]: from PyTorch, or by the
// definition of Lion, LAMB and Muon in float64.
var optimizerCases = []struct {
	name  string
	rate  float64
	shape []int
	set   func(o *Optimizer)
	want  []float64
}{
	{"sgd", 0.1, []int{6}, nil,
		[]float64{0.5, -1.26, 1.96, -0.09, 0.75, 0.25}},
	{"sgd", 0.1, []int{6}, func(o *Optimizer) { o.Decay = 0.1 },
		[]float64{0.4850485, -1.22317175, 1.901395, -0.0869799, 0.72712925, 0.2420797}},
	{"momentum", 0.1, []int{6}, func(o *Optimizer) { o.Decay = 0.01 },
		[]float64{0.5071053895, -1.22785947875, 1.879623568, -0.0939344799, 0.79514614925, 0.1675983397}},
	{"momentum", 0.1, []int{6}, func(o *Optimizer) { o.Dampening = 0.3 },
		[]float64{0.4988, -1.2231, 1.8991, -0.09615, 0.8253, 0.127}},
	{"nesterov", 0.1, []int{6}, nil,
		[]float64{0.50891, -1.24632, 1.86163, -0.08505, 0.79455, 0.1321}},
	{"momentum", 0.1, []int{6}, func(o *Optimizer) { o.Maximize, o.Decay = true, 0.1 },
		[]float64{0.4622105, -1.19501575, 1.996721, -0.0999879, 0.66027925, 0.4115237}},
	{"adam", 0.01, []int{6}, nil,
		[]float64{0.494754022177, -1.24006359802, 1.97477756072, -0.103198931923, 0.760038683035, 0.288779060562}},
	{"adam", 0.01, []int{6}, func(o *Optimizer) { o.Decay = 0.1 },
		[]float64{0.490542700689, -1.22879435884, 1.97160400523, -0.0905813734376, 0.756398105757, 0.28816103643}},
	{"adam", 0.01, []int{6}, func(o *Optimizer) { o.AMSGrad, o.Beta1, o.Beta2 = true, 0.5, 0.6 },
		[]float64{0.494883585784, -1.2465103078, 1.9784164183, -0.101977766633, 0.755213678349, 0.291752194587}},
	{"adamw", 0.01, []int{6}, func(o *Optimizer) { o.Decay = 0.1 },
		[]float64{0.493270569776, -1.23634000014, 1.96881325224, -0.102891790457, 0.757770361035, 0.287899423946}},
	{"adamw", 0.01, []int{6}, func(o *Optimizer) { o.AMSGrad, o.Beta1, o.Beta2 = true, 0.5, 0.6 },
		[]float64{0.494734920269, -1.2461373452, 1.97781944086, -0.10194692636, 0.754986928133, 0.291663870154}},
	{"adagrad", 0.1, []int{6}, nil,
		[]float64{0.441416081507, -1.26138802622, 1.87125610461, -0.105131670055, 0.77210016024, 0.237377344793}},
	{"adagrad", 0.1, []int{6}, func(o *Optimizer) { o.RateDecay, o.Decay, o.Initial = 0.2, 0.1, 0.3 },
		[]float64{0.480735812023, -1.20530612593, 1.88597955653, -0.0842455782513, 0.749177407765, 0.241930589188}},
	{"rmsprop", 0.01, []int{6}, nil,
		[]float64{0.441252592152, -1.26190234998, 1.87127475083, -0.105084060485, 0.771786605296, 0.237331080748}},
	{"rmsprop", 0.01, []int{6}, func(o *Optimizer) { o.Centered, o.Decay = true, 0.1 },
		[]float64{0.422225619618, -1.17058483081, 1.82384391638, -0.00233331100115, 0.748388893306, 0.233603232538}},
	{"rmsprop", 0.01, []int{6}, func(o *Optimizer) { o.Momentum = 0.9 },
		[]float64{0.355676955743, -1.13131361029, 1.65017809117, -0.195083880486, 0.886391827532, 0.130130401776}},
	{"rmsprop", 0.01, []int{6}, func(o *Optimizer) { o.Momentum, o.Centered, o.Beta2, o.Epsilon = 0.9, true, 0.9, 1e-3 },
		[]float64{0.453142108299, -1.21109180809, 1.88234134123, -0.129150550355, 0.79591526637, 0.242150497642}},
	{"muon", 0.1, []int{2, 3}, nil,
		[]float64{0.438138068252, -1.29063102294, 1.89122017917, -0.0120160019462, 0.713817891822, 0.224956347008}},
	{"muon", 0.1, []int{3, 2}, nil,
		[]float64{0.463130512898, -1.22316363805, 1.67842960135, -0.101666510258, 0.702344096182, 0.252193839391}},
	{"lion", 0.01, []int{6}, func(o *Optimizer) { o.Decay = 0.1 },
		[]float64{0.4885114895, -1.25626373875, 1.984035988, -0.0996902999, 0.73774225925, 0.2891108897}},
	{"lamb", 0.01, []int{6}, func(o *Optimizer) { o.Decay = 0.1 },
		[]float64{0.494447027622, -1.23557898728, 1.94699575344, -0.100283421513, 0.755959472384, 0.283849332799}},
}

var firstWeights = []float64{0.5, -1.25, 2, -0.1, 0.75, 0.3}

var gradients = [][]float64{
	{0.1, -0.2, 0.3, 0, -0.5, 1},
	{-0.3, 0.1, 0.2, 0.05, 0.4, -1},
	{0.2, 0.2, -0.1, -0.15, 0.1, 0.5},
}

// linear returns a model with a gradient equal to its input.
const linear = `
module "linear"
opset 22
func @main(%x: float64[SHAPE]) -> (%y) {
  const %w: float64[SHAPE] = WEIGHTS
  %wx = Mul(%w, %x)
  %y = ReduceSum(%wx) {keepdims = 0}
}
`

// parse reads a model with weights w of the given shape and content.
func parse(t *testing.T, text string, w []float64, shape ...int) *ir.Module {
	t.Helper()
	dims := strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ",")
	text = strings.ReplaceAll(text, "SHAPE", dims)
	m, err := ir.Parse("model.ir", strings.ReplaceAll(text, "WEIGHTS", literal(w, shape)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestOptimizers compares three steps of each optimizer with known results.
func TestOptimizers(t *testing.T) {
	for _, c := range optimizerCases {
		t.Run(fmt.Sprint(c.name, c.shape), func(t *testing.T) {
			o, err := NewOptimizer(c.name)
			if err != nil {
				t.Fatal(err)
			}
			if c.set != nil {
				c.set(&o)
			}
			s := start(t, parse(t, linear, firstWeights, c.shape...), Options{Loss: Loss{Name: "output"}, Optimizer: o})
			for _, g := range gradients {
				s.step(tensor.Of(g, c.shape...), tensor.Of([]float32{float32(c.rate)}))
			}
			near(t, "weights", tensor.Data[float64](s.value("w")), c.want, 1e-7)
		})
	}
}

// literal returns a tensor in the text form.
func literal(w []float64, shape []int) string {
	if len(shape) == 1 {
		return strings.ReplaceAll(fmt.Sprint(w), " ", ", ")
	}
	var rows []string
	for row := range slices.Chunk(w, len(w)/shape[0]) {
		rows = append(rows, literal(row, shape[1:]))
	}
	return "[" + strings.Join(rows, ", ") + "]"
}

// session is an evaluated training step.
type session struct {
	t       *testing.T
	program *Program
	f       *ir.Func
	second  *ir.Func // of a split step; nil before its first update
	state   []tensor.Value
}

func start(t *testing.T, m *ir.Module, opt Options) *session {
	t.Helper()
	p, err := Build(m, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*ir.Module{p.Step, p.Eval} {
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
	}
	return &session{t: t, program: p, f: p.Step.Main}
}

// step makes a step and returns the loss.
func (s *session) step(in ...tensor.Value) float64 {
	s.t.Helper()
	for i, p := range s.f.Body.Params { // a scalar has no axes
		if len(p.Type.Shape) == 0 {
			in[i].(*tensor.Tensor).Shape = nil
		}
	}
	out, next, err := eval.Step(s.f, s.state, in)
	if err != nil {
		s.t.Fatal(err)
	}
	s.state = next
	return floats64(out[0].(*tensor.Tensor))[0]
}

// value returns the state with a name.
func (s *session) value(name string) *tensor.Tensor {
	s.t.Helper()
	for i, st := range s.f.State {
		if st.Param.Name == name {
			return s.state[i].(*tensor.Tensor)
		}
	}
	s.t.Fatalf("there is no state %q", name)
	return nil
}

func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			t.Fatalf("%s are %v, want %v", what, got, want)
		}
	}
}

// TestAccumulate makes one update from three gradients: their mean.
func TestAccumulate(t *testing.T) {
	o, err := NewOptimizer("adam")
	if err != nil {
		t.Fatal(err)
	}
	mean := make([]float64, len(firstWeights))
	for _, g := range gradients {
		for i, x := range g {
			mean[i] += x / 3
		}
	}
	rate := tensor.Of([]float32{0.1})
	one := start(t, parse(t, linear, firstWeights, 6), Options{Loss: Loss{Name: "output"}, Optimizer: o})
	all := start(t, parse(t, linear, firstWeights, 6), Options{Loss: Loss{Name: "output"}, Optimizer: o, Accumulate: 3})
	for range 2 {
		one.step(tensor.Of(mean, 6), rate)
		for _, g := range gradients {
			all.step(tensor.Of(g, 6), rate)
		}
		near(t, "weights", tensor.Data[float64](all.value("w")), tensor.Data[float64](one.value("w")), 1e-7)
	}
}
