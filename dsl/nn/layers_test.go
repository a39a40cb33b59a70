package nn_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/nn"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// layer is a module, an input, and the output, computed by loops.
type layer struct {
	m     nn.Module
	x     *tensor.Tensor
	shape []int
	want  func() []float64
}

func layers() map[string]layer {
	out := map[string]layer{}
	for name, l := range map[string]func() layer{
		"linear": linear, "linear of tokens": linearTokens, "conv": conv, "conv in groups": convGroups,
		"batch norm": batchNorm, "layer norm": layerNorm, "group norm": groupNorm, "embedding": embedding,
		"attention": func() layer { return attention(false) }, "causal attention": func() layer { return attention(true) },
		"lstm": lstm, "gru": gru, "lstm both ways": lstmBoth, "last state": lastState,
		"max pool": maxPool, "average pool": avgPool, "global": global,
		"adaptive average": adaptiveAvg, "adaptive max": adaptiveMax,
		"residual": residual, "shortcut": shortcut, "dropout": dropout, "flatten": flatten,
	} {
		out[name] = l()
	}
	return out
}

// TestLayers compares layers with loops.
func TestLayers(t *testing.T) {
	for name, l := range layers() {
		t.Run(name, func(t *testing.T) {
			y := run(t, l.m, l.x)
			if !slices.Equal(y.Shape, l.shape) {
				t.Errorf("the output is %v, want %v", y.Shape, l.shape)
			}
			near(t, y, l.want())
		})
	}
}

// TestLayersTrain compiles a step of training of each layer.
func TestLayersTrain(t *testing.T) {
	for name, l := range layers() {
		t.Run(name, func(t *testing.T) {
			trains(t, nn.Sequential{l.m, &scale{&nn.Parameter{Shape: []int{1}, Init: nn.Ones()}}}, l.x)
		})
	}
}

// scale has a parameter, so that there is something to train.
type scale struct{ Factor *nn.Parameter }

func (s *scale) Forward(g *dsl.Graph, x dsl.Value) dsl.Value { return g.Mul(x, s.Factor.Value(g)) }

func linear() layer {
	l := &nn.Linear{In: 3, Out: 2}
	x := random(2, 4, 3)
	return layer{l, x, []int{4, 2}, func() []float64 { return affine(data(x), l, 4) }}
}

func linearTokens() layer {
	l := &nn.Linear{In: 3, Out: 2, NoBias: true}
	x := random(2, 2, 5, 3)
	return layer{l, x, []int{2, 5, 2}, func() []float64 { return affine(data(x), l, 10) }}
}

func affine(x []float64, l *nn.Linear, rows int) []float64 {
	w, b := data(l.Weight.Data), make([]float64, l.Out)
	if !l.NoBias {
		b = data(l.Bias.Data)
	}
	return product(x, w, b, rows, l.In, l.Out)
}

// product is x·wᵀ + b.
func product(x, w, b []float64, rows, in, out int) []float64 {
	y := make([]float64, rows*out)
	for r := range rows {
		for o := range out {
			y[r*out+o] = b[o]
			for i := range in {
				y[r*out+o] += x[r*in+i] * w[o*in+i]
			}
		}
	}
	return y
}

func conv() layer {
	c := &nn.Conv2D{In: 2, Out: 3, Kernel: 3, Stride: 2, Padding: 1}
	x := random(3, 1, 2, 6, 5)
	return layer{c, x, []int{1, 3, 3, 3}, func() []float64 { return convolve(c, x, 1, 2, 1, 1) }}
}

func convGroups() layer {
	c := &nn.Conv2D{In: 4, Out: 4, Kernel: 2, Dilation: 2, Groups: 2, NoBias: true}
	x := random(3, 1, 4, 5, 5)
	return layer{c, x, []int{1, 4, 3, 3}, func() []float64 { return convolve(c, x, 2, 1, 0, 2) }}
}

func convolve(c *nn.Conv2D, x *tensor.Tensor, groups, stride, pad, dilation int) []float64 {
	in, w := data(x), data(c.Weight.Data)
	h, width, k, per := x.Shape[2], x.Shape[3], c.Kernel, c.In/groups
	oh := (h+2*pad-dilation*(k-1)-1)/stride + 1
	ow := (width+2*pad-dilation*(k-1)-1)/stride + 1
	y := make([]float64, c.Out*oh*ow)
	for at := range y {
		o, r, s := at/(oh*ow), at/ow%oh, at%ow
		if !c.NoBias {
			y[at] = data(c.Bias.Data)[o]
		}
		for j := range per * k * k {
			i, a, b := j/(k*k), j/k%k, j%k
			row, col := r*stride-pad+a*dilation, s*stride-pad+b*dilation
			if row >= 0 && row < h && col >= 0 && col < width {
				channel := o/(c.Out/groups)*per + i
				y[at] += w[o*per*k*k+j] * in[(channel*h+row)*width+col]
			}
		}
	}
	return y
}

func batchNorm() layer {
	n := &nn.BatchNorm{Size: 3}
	n.RunningMean = &nn.Parameter{Shape: []int{3}, Data: tensor.Of([]float32{1, 2, 3}, 3)}
	n.RunningVar = &nn.Parameter{Shape: []int{3}, Data: tensor.Of([]float32{1, 4, 9}, 3)}
	x := random(4, 2, 3, 2)
	return layer{n, x, []int{2, 3, 2}, func() []float64 {
		y := data(x)
		for i := range y {
			c := float64(i/2%3 + 1)
			y[i] = (y[i] - c) / math.Sqrt(c*c+1e-5)
		}
		return y
	}}
}

func layerNorm() layer {
	x := random(5, 2, 3, 4)
	m := &nn.LayerNorm{Size: 4, Bias: &nn.Parameter{Shape: []int{4}, Init: nn.Constant(2)}}
	return layer{m, x, []int{2, 3, 4}, func() []float64 { return moments(data(x), 4, 2) }}
}

func groupNorm() layer {
	x := random(5, 2, 4, 3)
	return layer{&nn.GroupNorm{Groups: 2, Size: 4}, x, []int{2, 4, 3}, func() []float64 { return moments(data(x), 6, 0) }}
}

// moments normalizes each run of n elements to mean 0 and variance 1.
func moments(x []float64, n int, mean float64) []float64 {
	for run := range slices.Chunk(x, n) {
		m, v := 0.0, 0.0
		for _, e := range run {
			m += e / float64(n)
		}
		for _, e := range run {
			v += (e - m) * (e - m) / float64(n)
		}
		for i := range run {
			run[i] = (run[i]-m)/math.Sqrt(v+1e-5) + mean
		}
	}
	return x
}

func embedding() layer {
	e := &nn.Embedding{Count: 5, Size: 2}
	x := tensor.Of([]int64{4, 0, 3}, 3, 1)
	return layer{e, x, []int{3, 1, 2}, func() []float64 {
		w := data(e.Weight.Data)
		return []float64{w[8], w[9], w[0], w[1], w[6], w[7]}
	}}
}

func maxPool() layer {
	x := random(6, 1, 1, 4, 4)
	return layer{&nn.MaxPool2D{Kernel: 2}, x, []int{1, 1, 2, 2}, func() []float64 { return pooled(data(x), 4, 4, 2, 2, slices.Max) }}
}

func avgPool() layer {
	x := random(6, 1, 1, 2, 2)
	return layer{&nn.AvgPool2D{Kernel: 2, Stride: 1, Padding: 1}, x, []int{1, 1, 3, 3}, func() []float64 {
		v := data(x)
		a, b, c, d := v[0]/4, v[1]/4, v[2]/4, v[3]/4
		return []float64{a, a + b, b, a + c, a + b + c + d, b + d, c, c + d, d}
	}}
}

func global() layer {
	x := random(6, 1, 1, 3, 5)
	return layer{nn.GlobalAvgPool2D, x, []int{1, 1, 1, 1}, func() []float64 { return pooled(data(x), 3, 5, 1, 1, mean) }}
}

func adaptiveAvg() layer {
	x := random(6, 1, 1, 7, 5)
	return layer{&nn.AdaptiveAvgPool2D{Height: 3, Width: 2}, x, []int{1, 1, 3, 2}, func() []float64 { return pooled(data(x), 7, 5, 3, 2, mean) }}
}

func adaptiveMax() layer {
	x := random(6, 1, 1, 7, 5)
	return layer{&nn.AdaptiveMaxPool2D{Height: 7, Width: 1}, x, []int{1, 1, 7, 1}, func() []float64 { return pooled(data(x), 7, 5, 7, 1, slices.Max) }}
}

func mean(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}

// pooled reduces windows that cover an image of h times w evenly.
func pooled(x []float64, h, w, oh, ow int, reduce func([]float64) float64) []float64 {
	var y []float64
	for i := range oh {
		for j := range ow {
			var part []float64
			for r := i * h / oh; r < ((i+1)*h+oh-1)/oh; r++ {
				part = append(part, x[r*w+j*w/ow:r*w+((j+1)*w+ow-1)/ow]...)
			}
			y = append(y, reduce(part))
		}
	}
	return y
}

func residual() layer {
	x := random(7, 2, 3)
	return layer{&nn.Residual{Body: nn.Tanh}, x, []int{2, 3}, func() []float64 {
		y := data(x)
		for i := range y {
			y[i] += math.Tanh(y[i])
		}
		return y
	}}
}

func shortcut() layer {
	a, b := &nn.Linear{In: 3, Out: 2}, &nn.Linear{In: 3, Out: 2}
	x := random(7, 2, 3)
	return layer{&nn.Residual{Body: a, Shortcut: b}, x, []int{2, 2}, func() []float64 {
		y := affine(data(x), a, 2)
		for i, v := range affine(data(x), b, 2) {
			y[i] += v
		}
		return y
	}}
}

func dropout() layer {
	x := random(7, 2, 3)
	return layer{&nn.Dropout{P: 0.5}, x, []int{2, 3}, func() []float64 { return data(x) }}
}

func flatten() layer {
	x := random(7, 2, 3, 2, 2)
	return layer{nn.Flatten, x, []int{2, 12}, func() []float64 { return data(x) }}
}

// TestActivations compares activations with their formulas.
func TestActivations(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	softplus := func(x float64) float64 { return math.Log1p(math.Exp(x)) }
	below := func(a, b float64) func(float64) float64 { // a(eˣ-1) below 0, b·x above
		return func(x float64) float64 {
			if x < 0 {
				return a * math.Expm1(x)
			}
			return b * x
		}
	}
	for i, c := range []struct {
		m    nn.Func
		want func(x float64) float64
	}{
		{nn.ReLU, func(x float64) float64 { return max(x, 0) }},
		{nn.Sigmoid, sigmoid},
		{nn.Tanh, math.Tanh},
		{nn.Softplus, softplus},
		{nn.GELU, func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }},
		{nn.SiLU, func(x float64) float64 { return x * sigmoid(x) }},
		{nn.Mish, func(x float64) float64 { return x * math.Tanh(softplus(x)) }},
		{nn.HardSwish, func(x float64) float64 { return x * min(max(x/6+0.5, 0), 1) }},
		{nn.LeakyReLU(0.1), func(x float64) float64 { return max(x, 0.1*x) }},
		{nn.ELU(1), below(1, 1)},
		{nn.SELU, below(1.6732632423543772*1.0507009873554805, 1.0507009873554805)},
		{nn.LogSoftmax(0), func(float64) float64 { return 0 }},
		{nn.Softmax(0), func(float64) float64 { return 1 }},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			x := random(8, 1, 50)
			want := data(x)
			for i, v := range want {
				want[i] = c.want(v)
			}
			near(t, run(t, c.m, x), want)
		})
	}
}
