package cpu

import (
	"math"
	"testing"
)

// Kernels of gradients agree with their portable forms for every length: in every bit, or up to fused steps.
func TestVecGrad(t *testing.T) {
	const s, a, b = 0.3, -0.7, 1.2
	kernels := []struct {
		name        string
		f, portable func(dst, x, y []float32)
		tol         float64
	}{
		{"ReluGrad", vecReluGrad, vecReluGradGo, 0},
		{"GeluGrad", vecGeluGrad, vecGeluGradGo, 1e-6},
		{"GeluTanhGrad", vecGeluTanhGrad, vecGeluTanhGradGo, 1e-6},
		{"MulAdd", vecMulAdd, vecMulAddGo, 0},
		{"SubSMul", func(d, x, y []float32) { vecSubSMul(d, x, y, s) }, func(d, x, y []float32) { vecSubSMulGo(d, x, y, s) }, 0},
		{"NormGrad", func(d, x, y []float32) { vecNormGrad(d, x, y, s, a, b) }, func(d, x, y []float32) { vecNormGradGo(d, x, y, s, a, b) }, 0},
	}
	eachLevel(t, func(t *testing.T) {
		for _, k := range kernels {
			lengths(func(n int, x, y []float32) {
				dst, check := guarded(n)
				want := make([]float32, n)
				for i := range dst {
					dst[i], want[i] = x[i], x[i]
				}
				k.f(dst, x, y)
				k.portable(want, x, y)
				check(t)
				for i, w := range want {
					if far := math.Abs(float64(dst[i]) - float64(w)); !sameValue(dst[i], w) && !(far <= k.tol*max(1, math.Abs(float64(x[i])))) {
						t.Fatalf("%s(%v, %v) at %d of %d is %v, want %v", k.name, x[i], y[i], i, n, dst[i], w)
					}
				}
			})
		}
	})
}

// The bits of shared loops do not depend on the number of threads, and they do not allocate.
func TestGradThreads(t *testing.T) {
	defer SetThreads(0)
	const n, rows = 64, 1024
	x, dy, scale := make([]float32, n*rows), make([]float32, n*rows), make([]float32, n)
	for i := range x {
		x[i], dy[i], scale[i%n] = float32(i%37)-18, float32(i%11)-5, float32(i%5)
	}
	dst, sums := make([]float32, n*rows), make([]float32, 2*n)
	pool := Window{In: []int{32, 32}, Out: []int{16, 16}, Kernel: []int{2, 2}, Stride: []int{2, 2}, Dilation: []int{1, 1}, Pad: []int{0, 0}, PadEnd: []int{0, 0}}
	conv := Window{In: []int{1024}, Out: []int{1024}, Kernel: []int{3}, Stride: []int{1}, Dilation: []int{1}, Pad: []int{1}, PadEnd: []int{1}}
	kernels := map[string]func(){
		"ReluGrad":    func() { ReluGrad(dst, dy, x) },
		"GeluGrad":    func() { GeluGrad(dst, dy, x) },
		"Add":         func() { Add(dst, dy, x) },
		"Mul":         func() { Mul(dst, dy, x[:1]) },
		"SoftmaxGrad": func() { SoftmaxGrad(dst, dy, x, rows, n, 1) },
		"LayerNormGrad": func() {
			LayerNormGrad(dst, sums[:n], sums[n:], dy, x, scale, NormParams{N: n, Eps: 1e-5, Center: true})
		},
		"ReduceSum":   func() { ReduceSum(sums[:n], x, []int{rows, n}, []int{1, n}) },
		"Transpose":   func() { Transpose(dst, x, []int{rows / 8, n, 8}, []int{2, 0, 1}) },
		"MatMulTA":    func() { BatchMatMulTA32(dst, x, dy, rows/n, MatMulShape{M: n, K: n, N: n}, n*n, n*n) },
		"MaxPoolGrad": func() { MaxPoolGrad(dst, dy[:len(dy)/4], x, nil, nil, n, pool) },
		"ConvTranspose": func() {
			ConvTranspose(dst, dy, scale[:4*4*3], nil, nil, ConvShape{Images: n / 4, Channels: 4, Filters: 4, Groups: 1, Window: conv})
		},
		"ConvGradWeight": func() {
			ConvGradWeight(sums[:4*4*3], dy, x, nil, ConvShape{Images: n / 4, Channels: 4, Filters: 4, Groups: 1, Window: conv})
		},
	}
	for name, f := range kernels {
		var want [2][]float32
		for _, threads := range []int{1, 4} {
			SetThreads(threads)
			f()
			got := [2][]float32{append([]float32(nil), dst...), append([]float32(nil), sums...)}
			if a := allocations(10, f); a > 0 {
				t.Errorf("%s with %d threads: %v allocations", name, threads, a)
			}
			for i := range got {
				for j, w := range want[i] {
					if math.Float32bits(w) != math.Float32bits(got[i][j]) {
						t.Fatalf("%s: %d threads give another result", name, threads)
					}
				}
			}
			want = got
		}
	}
}

// The error of the slope of Gelu is within the bound in its comment.
func TestGeluSlope(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		var x, one, got [1 << 12]float32
		for i := range x {
			x[i], one[i] = float32(i)/200-10, 1
		}
		vecGeluGrad(got[:], one[:], x[:])
		for i, v := range x {
			w := float64(v)
			want := (1+math.Erf(w/math.Sqrt2))/2 + w*math.Exp(-w*w/2)/math.Sqrt(2*math.Pi)
			if !(math.Abs(float64(got[i])-want) <= 0x1p-22) {
				t.Fatalf("at %v: %v, want %v", v, got[i], want)
			}
		}
	})
}
