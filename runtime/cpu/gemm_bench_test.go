package cpu

import (
	"fmt"
	"testing"
)

// BenchmarkMatMul32 times products with unpacked operands (raw) and with a packed b (packed).
func BenchmarkMatMul32(b *testing.B) {
	defer SetThreads(0)
	for _, s := range [][3]int{{1, 1024, 1024}, {16, 768, 768}, {64, 784, 512}, {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}} {
		m, k, n := s[0], s[1], s[2]
		x, y, dst := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
		packed := make([]float32, PackB32Size(k, n))
		PackB32(packed, y, k, n)
		for _, l := range Levels()[1:] {
			for threads := 1; threads <= 2; threads++ {
				run := func(form string, f func()) {
					b.Run(fmt.Sprintf("%dx%dx%d/%v/%d/%s", m, k, n, l, threads, form), func(b *testing.B) {
						defer SetLevel(SetLevel(l))
						SetThreads(threads)
						for b.Loop() {
							f()
						}
						b.ReportMetric(2*float64(m*k*n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
					})
				}
				run("raw", func() { MatMul32(dst, x, y, m, k, n) })
				run("packed", func() { MatMulPacked32(dst, x, packed, nil, m, k, n, ActNone) })
			}
		}
	}
}

// BenchmarkMLP times three dense layers with bias and relu and packed weights.
func BenchmarkMLP(b *testing.B) {
	defer SetThreads(0)
	sizes := []int{784, 512, 256, 10}
	for _, batch := range []int{1, 8, 64} {
		var w, bias, y [][]float32
		for i, n := range sizes[1:] {
			w = append(w, make([]float32, PackB32Size(sizes[i], n)))
			bias = append(bias, make([]float32, n))
			y = append(y, make([]float32, batch*n))
		}
		x := make([]float32, batch*sizes[0])
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("batch%d/%d", batch, threads), func(b *testing.B) {
				SetThreads(threads)
				for b.Loop() {
					MatMulPacked32(y[0], x, w[0], bias[0], batch, 784, 512, ActRelu)
					MatMulPacked32(y[1], y[0], w[1], bias[1], batch, 512, 256, ActRelu)
					MatMulPacked32(y[2], y[1], w[2], bias[2], batch, 256, 10, ActNone)
				}
			})
		}
	}
}

// BenchmarkVec measures the unary functions at each level.
func BenchmarkVec(b *testing.B) {
	for _, u := range unaries {
		for _, l := range Levels() {
			b.Run(fmt.Sprintf("%s/%v", u.name, l), func(b *testing.B) {
				defer SetLevel(SetLevel(l))
				x, dst := make([]float32, 4096), make([]float32, 4096)
				for i := range x {
					x[i] = float32(i%97)/12 - 4
				}
				for b.Loop() {
					u.f(dst, x)
				}
				b.ReportMetric(float64(len(x))*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "Gelem/s")
			})
		}
	}
}
