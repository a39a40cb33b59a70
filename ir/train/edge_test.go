package train

import (
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestSaturated has probabilities of exactly 0 and 1, as a sigmoid returns for large scores. Where they are wrong, the
// gradients are PyTorch's.
func TestSaturated(t *testing.T) {
	m := parse(t, constant, []float64{0, 1, 0.25, 0.75, 1, 0}, 6)
	s := start(t, m, Options{Loss: Loss{Name: "bce"}, Optimizer: optimizer(t, "sgd"), Gradients: true})
	target := tensor.Of([]float64{0, 1, 1, 0.5, 0, 1}, 6)
	loss := s.step(tensor.New(tensor.Float64, 6), target, tensor.Of([]float32{0}))
	near(t, "losses", []float64{loss}, []float64{33.70388042965096}, 1e-7)
	g := tensor.Data[float64](s.value("w.grad"))
	near(t, "gradients", g[:4], []float64{1. / 6, -1. / 6, -2. / 3, 2. / 9}, 1e-7)
	near(t, "gradients", g[4:], []float64{1e12 / 6, -1e12 / 6}, 10)
}

const half = `
module "half"
opset 22
func @main(%x: float64[SHAPE]) -> (%y) {
  const %w: float64[SHAPE] = WEIGHTS
  %sum = Add(%w, %x)
  %y = Cast(%sum) {to = 10}
}
`

// TestHalf trains models whose outputs are float16: with weights of the classes, and with a saturated probability.
func TestHalf(t *testing.T) {
	m := parse(t, half, []float64{0.5, -1, 0.25, 2, 0.1, -0.3}, 2, 3)
	loss := Loss{Name: "cross_entropy", Weights: classWeights}
	s := start(t, m, Options{Loss: loss, Optimizer: optimizer(t, "sgd")})
	got := s.step(tensor.New(tensor.Float64, 2, 3), labels, tensor.Of([]float32{0}))
	near(t, "losses", []float64{got}, []float64{0.738081708042}, 1e-2)

	s = start(t, parse(t, half, []float64{0, 1}, 2), Options{Loss: Loss{Name: "bce"}, Optimizer: optimizer(t, "sgd"), Gradients: true})
	got = s.step(tensor.New(tensor.Float64, 2), filledWith(tensor.Float16, []float64{0, 1}), tensor.Of([]float32{0}))
	near(t, "losses", []float64{got}, []float64{0}, 1e-7)
	near(t, "gradients", tensor.Data[float64](s.value("w.grad")), []float64{0.5, -0.5}, 1e-3)
}

// TestMaximize moves against the gradient: also what Muon leaves to AdamW, as it is no matrix.
func TestMaximize(t *testing.T) {
	for name := range optimizers {
		for _, shape := range [][]int{{6}, {2, 3}} {
			o := optimizer(t, name)
			o.Maximize, o.Decay = true, 0
			s := start(t, parse(t, constant, firstWeights, shape...), Options{Loss: Loss{Name: "mse", Reduction: "sum"}, Optimizer: o})
			before := math.Inf(-1)
			for range 5 {
				zeros := func() tensor.Value { return tensor.New(tensor.Float64, shape...) }
				loss := s.step(zeros(), zeros(), tensor.Of([]float32{1e-3}))
				if !(loss > before) {
					t.Errorf("%s, %v: the loss is %v after %v, want it to rise", name, shape, loss, before)
				}
				before = loss
			}
		}
	}
}

// TestRefused has models and options that no step can be made of.
func TestRefused(t *testing.T) {
	without := strings.Replace(constant, "-> (%y)", "-> ()", 1)
	for _, c := range []struct {
		text, want string
		opt        Options
	}{
		{without, "model.ir: the model has no output", Options{}},
		{constant, "gradients are kept between the halves of a split step anyway: want one of both", Options{Gradients: true, Split: true}},
	} {
		c.opt.Loss, c.opt.Optimizer = Loss{Name: "mse"}, optimizer(t, "sgd")
		m := parse(t, c.text, firstWeights, 6)
		m.File = "model.ir"
		if _, err := Build(m, c.opt); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
