package cpu

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestSoftmaxAxes compares rows, columns and both precisions with the definition.
func TestSoftmaxAxes(t *testing.T) {
	for _, s := range [][3]int{{3, 1, 1}, {2, 5, 1}, {1, 600, 1}, {2, 3, 4}, {1, 7, 130}, {2, 0, 3}} {
		outer, n, inner := s[0], s[1], s[2]
		x := gaussians[float64](outer * n * inner)
		want, logs := make([]float64, len(x)), make([]float64, len(x))
		for o := range outer {
			for i := range inner {
				sum := 0.0
				for k := range n {
					sum += math.Exp(x[(o*n+k)*inner+i])
				}
				for k := range n {
					at := (o*n+k)*inner + i
					want[at], logs[at] = math.Exp(x[at])/sum, x[at]-math.Log(sum)
				}
			}
		}
		got, got32 := make([]float64, len(x)), narrow32(x)
		Softmax(got, x, outer, n, inner)
		agree(t, "Softmax", got, want, 1e-12)
		Softmax(got32, got32, outer, n, inner)
		agree(t, "Softmax in float32", widen64(got32), want, 1e-6)
		copy(got, x)
		LogSoftmax(got, got, outer, n, inner)
		agree(t, "LogSoftmax", got, logs, 1e-12)
	}
	big := []float64{-1000, 0, 1000}
	Softmax(big, big, 1, 3, 1)
	agree(t, "Softmax", big, []float64{0, 0, 1}, 0)
	hard := make([]float64, 4)
	Hardmax(hard, []float64{1, 3, 3, 2}, 1, 4, 1)
	agree(t, "Hardmax", hard, []float64{0, 1, 0, 0}, 0)
}

// Rows that are masked completely are zeros, and do not affect other rows.
func TestSoftmaxRowsFloor(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range []int{1, 7, 16, 33, 64, 100} {
			x := make([]float32, 3*n)
			for i := range x {
				x[i] = float32(i % 5)
				if i/n == 1 {
					x[i] = float32(math.Inf(-1))
				}
			}
			y, want := make([]float32, 3*n), make([]float32, 3*n)
			softmaxRows(y, x, n, -math.MaxFloat32)
			VecSoftmax32(want[:n], x[:n])
			VecSoftmax32(want[2*n:], x[2*n:])
			if !slices.Equal(y, want) {
				t.Errorf("rows of %d: got %v, want %v", n, y, want)
			}
		}
	})
}

// Rows that end at different places have the softmax of what is before the end, and zeros behind it. Of what is between rows, that
// behind the next multiple of 16 stays.
func TestSoftmaxStairs(t *testing.T) {
	const rows = 5
	eachLevel(t, func(t *testing.T) {
		for n := 1; n < 131; n++ {
			for _, s := range []stairs{{seen: n}, {seen: n - 3, more: 1}, {seen: -2, more: 2}, {seen: n / 2, more: 8}} {
				for _, s.maskStep = range []int{-1, 0, n} { // -1: no mask
					testSoftmaxStairs(t, s, rows, n)
				}
			}
		}
	})
}

func testSoftmaxStairs(t *testing.T, s stairs, rows, n int) {
	most := (n + 15) &^ 15
	s.rows, s.n, s.step, s.floor = rows, n, most+16, -math.MaxFloat32
	s.x = gaussians[float32](rows * s.step)
	if s.maskStep >= 0 {
		s.mask = gaussians[float32]((rows-1)*s.maskStep + n)
		s.mask[0] = float32(math.Inf(-1))
	}
	want := slices.Clone(s.x)
	for i := range rows {
		x, end := want[i*s.step:], max(0, min(n, s.seen+i*s.more))
		if s.mask != nil {
			VecAdd32(x[:end], x[:end], s.mask[i*s.maskStep:][:end])
		}
		if end > 0 {
			softmaxRows(x[:end], x[:end], end, s.floor)
		}
		clear(x[end:n])
	}
	s.compute()
	for i, x := range s.x {
		if j := i % s.step; (j < n || j >= most) && x != want[i] {
			t.Fatalf("rows of %d, %d and %d more of them, mask step %d: got %v at %d of row %d, want %v", n, s.seen, s.more, s.maskStep, x, j,
				i/s.step, want[i])
		}
	}
}

// TestSoftmaxOfNothing tests columns without elements.
func TestSoftmaxOfNothing(t *testing.T) {
	for name, f := range map[string]func(dst, x []float32, outer, n, inner int){"Softmax": Softmax[float32], "LogSoftmax": LogSoftmax[float32]} {
		if err := failure(func() { f(nil, nil, 2, 0, 70) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f(nil, nil, 0, 3, 70)
		f(nil, nil, 3, 0, 1)
	}
}

// BenchmarkSoftmaxRows measures rows of several lengths at each level.
func BenchmarkSoftmaxRows(b *testing.B) {
	for _, n := range []int{17, 48, 49, 64, 197, 1024} {
		for _, l := range Levels()[1:] {
			b.Run(fmt.Sprintf("%d/%v", n, l), func(b *testing.B) {
				defer SetLevel(SetLevel(l))
				x := gaussians[float32](4096 / n * n)
				dst := make([]float32, len(x))
				for b.Loop() {
					softmaxRows(dst, x, n, lowest[float32]())
				}
				b.ReportMetric(float64(len(x))*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "Gelem/s")
			})
		}
	}
}

// Hardmax is 1 where ArgMax is, also for NaNs, infinities and equal elements.
func TestHardmaxIsArgMax(t *testing.T) {
	values := []float64{-inf, -1, math.Copysign(0, -1), 0, 2, inf, nan}
	for code := range 7 * 7 * 7 * 7 { // all lines of four
		line := []float64{values[code%7], values[code/7%7], values[code/49%7], values[code/343]}
		at, got, want := make([]int64, 1), make([]float64, 4), make([]float64, 4)
		ArgMax(at, line, 1, 4, 1, false)
		want[at[0]] = 1
		Hardmax(got, line, 1, 4, 1)
		equal(t, fmt.Sprint(line), got, want...)
	}
}
