package cpu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestGradFloat32 compares the float32 code of kernels of gradients with the portable code in float64, which
// is used to check the gradients of operators.
func TestGradFloat32(t *testing.T) {
	win := Window{In: []int{5, 6}, Out: []int{3, 5}, Kernel: []int{3, 2}, Stride: []int{2, 1}, Dilation: []int{1, 1}, Pad: []int{1, 0}, PadEnd: []int{1, 0}}
	dense := Window{In: []int{5, 6}, Out: []int{6, 3}, Kernel: []int{3, 2}, Stride: []int{1, 1}, Dilation: []int{1, 3}, Pad: []int{1, 0}, PadEnd: []int{2, 0}}
	bare := Window{In: []int{7}, Out: []int{5}, Kernel: []int{3}, Stride: []int{1}, Dilation: []int{1}, Pad: []int{0}, PadEnd: []int{0}}
	twice(t, "ConvGradWeight of many filters", 12*2*3, []int{3 * 12 * 5, 3 * 2 * 7, 2 * 3 * 5}, func(d []float32, in [][]float32) {
		ConvGradWeight(d, in[0], in[1], in[2], ConvShape{Images: 3, Channels: 2, Filters: 12, Groups: 1, Window: bare})
	}, func(d []float64, in [][]float64) {
		ConvGradWeight(d, in[0], in[1], in[2], ConvShape{Images: 3, Channels: 2, Filters: 12, Groups: 1, Window: bare})
	})
	for _, w := range []Window{win, dense, bare} {
		in, out, taps := volume(w.In), volume(w.Out), volume(w.Kernel)
		sizes := []int{2 * 4 * out, 2 * 4 * in, 4 * 2 * taps, 2 * taps * out, 4}
		twice(t, "ConvGradWeight", 4*2*taps, sizes, func(d []float32, in [][]float32) {
			ConvGradWeight(d, in[0], in[1], in[3], ConvShape{Images: 2, Channels: 4, Filters: 4, Groups: 2, Window: w})
		}, func(d []float64, in [][]float64) {
			ConvGradWeight(d, in[0], in[1], in[3], ConvShape{Images: 2, Channels: 4, Filters: 4, Groups: 2, Window: w})
		})
		twice(t, "ConvTranspose", 2*4*in, sizes, func(d []float32, in [][]float32) {
			ConvTranspose(d, in[0], in[2], in[4], in[3], ConvShape{Images: 2, Channels: 4, Filters: 4, Groups: 2, Window: w})
		}, func(d []float64, in [][]float64) {
			ConvTranspose(d, in[0], in[2], in[4], in[3], ConvShape{Images: 2, Channels: 4, Filters: 4, Groups: 2, Window: w})
		})
	}
	twice(t, "SoftmaxGrad", 70, []int{70, 70}, softmaxGrad[float32], softmaxGrad[float64])
	twice(t, "GeluGrad", 300, []int{300, 300}, func(d []float32, in [][]float32) { GeluGrad(d, in[0], in[1]) },
		func(d []float64, in [][]float64) { GeluGrad(d, in[0], in[1]) })
	twice(t, "GeluTanhGrad", 300, []int{300, 300}, func(d []float32, in [][]float32) { GeluTanhGrad(d, in[0], in[1]) },
		func(d []float64, in [][]float64) { GeluTanhGrad(d, in[0], in[1]) })
	twice(t, "LayerNormGrad", 66+33+33, []int{66, 66, 33}, func(d []float32, in [][]float32) {
		LayerNormGrad(d[:66], d[66:99], d[99:], in[0], in[1], in[2], NormParams{N: 33, Eps: 1e-5, Center: true})
	}, func(d []float64, in [][]float64) {
		LayerNormGrad(d[:66], d[66:99], d[99:], in[0], in[1], in[2], NormParams{N: 33, Eps: 1e-5, Center: true})
	})
	twice(t, "BatchNormGrad", 60+3+3, []int{60, 60, 3}, func(d []float32, in [][]float32) {
		BatchNormGrad(d[:60], d[60:63], d[63:], in[0], in[1], in[2], 10, 1e-5)
	}, func(d []float64, in [][]float64) {
		BatchNormGrad(d[:60], d[60:63], d[63:], in[0], in[1], in[2], 10, 1e-5)
	})
	quarter := Window{In: []int{5, 7}, Out: []int{2, 3}, Kernel: []int{2, 2}, Stride: []int{2, 2}, Dilation: []int{1, 1}, Pad: []int{0, 0}, PadEnd: []int{0, 0}}
	for _, w := range []Window{win, quarter} {
		in, out := 3*w.In[0]*w.In[1], 3*w.Out[0]*w.Out[1]
		twice(t, "MaxPool", out, []int{in}, func(d []float32, in [][]float32) { MaxPool(d, in[0], 3, w) },
			func(d []float64, in [][]float64) { MaxPool(d, in[0], 3, w) })
		twice(t, "MaxPoolGrad", in, []int{out, in}, func(d []float32, in [][]float32) {
			MaxPoolGrad(d, in[0], in[1], make([]float32, 9), make([]int64, 9), 3, w)
		}, func(d []float64, in [][]float64) {
			MaxPoolGrad(d, in[0], in[1], make([]float64, 9), make([]int64, 9), 3, w)
		})
	}
	index := []int32{1, 0, 1, -1}
	twice(t, "GatherGrad", 3*20, []int{4 * 20}, func(d []float32, in [][]float32) { GatherGrad(d, in[0], index, 1, 3, 20) },
		func(d []float64, in [][]float64) { GatherGrad(d, in[0], index, 1, 3, 20) })
}

// softmaxGrad computes the gradient of the softmax of in[1].
func softmaxGrad[T Float](d []T, in [][]T) {
	Softmax(in[1], in[1], 2, 35, 1)
	SoftmaxGrad(d, in[0], in[1], 2, 35, 1)
}

// twice runs a kernel with n results in float32 and float64 on random operands of the given sizes.
func twice(t *testing.T, name string, n int, sizes []int, f func(d []float32, in [][]float32), g func(d []float64, in [][]float64)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var in32 [][]float32
	var in64 [][]float64
	for _, n := range sizes {
		a, b := make([]float32, n), make([]float64, n)
		for i := range a {
			a[i] = float32(r.NormFloat64())
			b[i] = float64(a[i])
		}
		in32, in64 = append(in32, a), append(in64, b)
	}
	d32, d64 := make([]float32, n), make([]float64, n)
	f(d32, in32)
	g(d64, in64)
	for i, want := range d64 {
		if got := float64(d32[i]); !(math.Abs(got-want) <= 1e-4*max(1, math.Abs(want))) {
			t.Fatalf("%s: element %d is %v in float32, %v in float64", name, i, got, want)
		}
	}
}
