package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// gradientCase is a kernel and its gradient: y = apply(in), and d is the gradient of Σ dy·y by each operand. The gradient
// sets d[k] to nil if there is none by operand k.
type gradientCase struct {
	name     string
	sizes    []int // of the operands
	out      int   // elements of y
	apply    func(y []float64, in [][]float64)
	gradient func(d [][]float64, dy []float64, in [][]float64)
	prepare  func(in [][]float64) // changes the operands, which are from -1 to 1
}

// test compares the gradient with central differences (f(x+h) - f(x-h)) / 2h.
func (c gradientCase) test(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, uint64(c.out)))
	var in, d [][]float64
	for _, n := range c.sizes {
		in, d = append(in, uniform[float64](rng, n)), append(d, uniform[float64](rng, n)) // what d held must not matter
	}
	if c.prepare != nil {
		c.prepare(in)
	}
	dy, y := uniform[float64](rng, c.out), make([]float64, c.out)
	c.gradient(d, dy, in)
	loss := func() float64 { c.apply(y, in); return inner(y, dy) }
	const h = 1e-5
	steep := false
	for k, x := range in {
		for i, v := range x {
			if d[k] == nil {
				break
			}
			x[i] = v + h
			up := loss()
			x[i] = v - h
			want := (up - loss()) / (2 * h)
			x[i] = v
			if !(math.Abs(d[k][i]-want) <= 1e-7*(1+math.Abs(want))) {
				t.Errorf("by element %d of operand %d: got %v, want %v", i, k, d[k][i], want)
			}
			steep = steep || want != 0
		}
	}
	if !steep {
		t.Error("nothing depends on the operands")
	}
}

func testGradients(t *testing.T, cases []gradientCase) {
	for _, c := range cases {
		t.Run(c.name, c.test)
	}
}

// TestActivationGradients checks gradients of elementwise kernels and of softmax; 300 elements are more than one buffer.
func TestActivationGradients(t *testing.T) {
	unary := func(f func(y, x []float64), grad func(d, dy, x []float64)) gradientCase {
		return gradientCase{sizes: []int{300}, out: 300,
			apply:    func(y []float64, in [][]float64) { f(y, in[0]) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) { grad(d[0], dy, in[0]) },
			prepare:  func(in [][]float64) { Mul(in[0], in[0], []float64{4}) }}
	}
	var cases []gradientCase
	add := func(name string, c gradientCase) { c.name = name; cases = append(cases, c) }
	add("Relu", unary(Relu[float64], ReluGrad[float64]))
	add("Gelu", unary(Gelu[float64], GeluGrad[float64]))
	add("GeluTanh", unary(func(y, x []float64) {
		for i, v := range x {
			y[i] = exactGeluTanh(v)
		}
	}, GeluTanhGrad[float64]))
	for _, s := range [][3]int{{3, 5, 1}, {2, 4, 3}, {1, 3, columns + 1}} {
		add(fmt.Sprint("Softmax ", s), gradientCase{sizes: []int{s[0] * s[1] * s[2]}, out: s[0] * s[1] * s[2],
			apply: func(y []float64, in [][]float64) { Softmax(y, in[0], s[0], s[1], s[2]) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				y := make([]float64, len(dy))
				Softmax(y, in[0], s[0], s[1], s[2])
				SoftmaxGrad(d[0], dy, y, s[0], s[1], s[2])
			}})
	}
	testGradients(t, cases)
	d, dy := []float64{9, 9}, []float64{1, 2}
	SoftmaxGrad(d, dy, []float64{1, 1}, 2, 1, 1) // the softmax of one element is constant
	equal(t, "Softmax of one element", d, 0, 0)
}

// TestNormGradients checks gradients of normalizations by the data, the scale and the bias.
func TestNormGradients(t *testing.T) {
	const n, eps, channels, inner = 5, 1e-3, 3, 4
	testGradients(t, []gradientCase{
		{name: "LayerNorm", sizes: []int{4 * n, n, n}, out: 4 * n,
			apply: func(y []float64, in [][]float64) { LayerNorm(y, nil, nil, in[0], in[1], in[2], n, eps) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				LayerNormGrad(d[0], d[1], d[2], dy, in[0], in[1], NormParams{N: n, Eps: eps, Center: true})
			}},
		{name: "RMSNorm", sizes: []int{4 * n, n}, out: 4 * n,
			apply: func(y []float64, in [][]float64) { RMSNorm(y, in[0], in[1], n, eps) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				LayerNormGrad(d[0], d[1], nil, dy, in[0], in[1], NormParams{N: n, Eps: eps})
			}},
		{name: "BatchNorm", sizes: []int{2 * channels * inner, channels, channels}, out: 2 * channels * inner,
			apply: func(y []float64, in [][]float64) {
				var mean, variance, a, b [channels]float64
				BatchMoments(mean[:], variance[:], in[0], inner)
				BatchNorm(a[:], b[:], in[1], in[2], mean[:], variance[:], eps)
				Affine(y, in[0], a[:], b[:], inner)
			},
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				BatchNormGrad(d[0], d[1], d[2], dy, in[0], in[1], inner, eps)
			}},
	})
	dscale, dbias := []float64{9}, []float64{9}
	BatchNormGrad[float64, float64](nil, dscale, dbias, nil, nil, []float64{1}, 0, eps)
	equal(t, "of an empty batch", append(dscale, dbias...), 0, 0)
}

// TestCumulativeGradients checks gradients along the middle axis in both directions, with zeros among the factors.
func TestCumulativeGradients(t *testing.T) {
	shape, axis := []int{2, 4, 3}, []int64{-2}
	var cases []gradientCase
	for mask := range 4 {
		exclusive, reverse := mask&1 != 0, mask&2 != 0
		cases = append(cases, gradientCase{name: fmt.Sprint("CumProd ", exclusive, reverse), sizes: []int{24}, out: 24,
			apply: func(y []float64, in [][]float64) { CumProd(y, in[0], axis, shape, exclusive, reverse) },
			gradient: func(d [][]float64, dy []float64, in [][]float64) {
				CumProdGrad(d[0], dy, in[0], axis, shape, exclusive, reverse)
			},
			prepare: func(in [][]float64) { in[0][4], in[0][14], in[0][17] = 0, 0, 0 },
		})
	}
	for name, best := range map[string]func(dst, x []float64, axis []int64, shape []int, reverse bool){"CumMax": CumMax[float64, int64], "CumMin": CumMin[float64, int64]} {
		for _, reverse := range []bool{false, true} {
			cases = append(cases, gradientCase{name: fmt.Sprint(name, " ", reverse), sizes: []int{24}, out: 24,
				apply: func(y []float64, in [][]float64) { best(y, in[0], axis, shape, reverse) },
				gradient: func(d [][]float64, dy []float64, in [][]float64) {
					y := make([]float64, 24)
					best(y, in[0], axis, shape, reverse)
					CumBestGrad(d[0], dy, in[0], y, axis, shape, reverse)
				}})
		}
	}
	testGradients(t, cases)
}

// TestLossGradients checks each reduction of losses, with weights and with targets that are ignored.
func TestLossGradients(t *testing.T) {
	target, weight := []int32{2, 0, -7, 1, 1, 2}, []float64{0.5, 2, 3}
	var cases []gradientCase
	for _, how := range []LossReduction{LossEach, LossSum, LossMean} {
		for _, w := range [][]float64{nil, weight} {
			o := Loss{Classes: 3, Inner: 3, Reduce: how, Ignores: true, Ignore: -7}
			out := 1
			if how == LossEach {
				out = len(target)
			}
			cases = append(cases, gradientCase{name: fmt.Sprint(how, w), sizes: []int{2 * 3 * 3}, out: out,
				apply:    func(y []float64, in [][]float64) { NLLLoss(y, in[0], target, w, o) },
				gradient: func(d [][]float64, dy []float64, in [][]float64) { NLLLossGrad(d[0], dy, target, w, o) }})
		}
	}
	testGradients(t, cases)
	for _, bad := range []int32{-1, 3} {
		want := fmt.Sprintf("NLLLossGrad: target 1 is %d, want 0 to 2", bad)
		if got := complaint(func() {
			NLLLossGrad(make([]float32, 6), []float32{1}, []int32{0, bad}, nil, Loss{Classes: 3, Inner: 1, Reduce: LossSum})
		}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
