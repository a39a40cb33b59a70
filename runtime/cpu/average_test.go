package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAverage compares the kernels for averages with their loops, for every length, and checks the memory
// after the destination.
func TestAverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const most, scale, d = 130, 1.0 / 3, 7.1
	x, wide := make([]float32, most), make([]float64, most)
	for i := range x {
		x[i], wide[i] = float32(r.NormFloat64()), r.NormFloat64()
	}
	x[0], x[64], wide[1] = float32(math.Inf(1)), float32(math.NaN()), math.Inf(-1)
	eachLevel(t, func(t *testing.T) {
		for n := range most + 1 {
			sum := append(append([]float64{}, wide[:n]...), 5)
			AddScaled64(sum[:n], x, scale)
			narrow, check := guarded(n)
			DivNarrow(narrow, wide, d)
			check(t)
			for i := range n {
				if want := wide[i] + float64(scale*float64(x[i])); sum[i] != want && (want == want || sum[i] == sum[i]) {
					t.Fatalf("AddScaled64: element %d of %d is %v, want %v", i, n, sum[i], want)
				}
				if want := float32(wide[i] / d); narrow[i] != want {
					t.Fatalf("DivNarrow: element %d of %d is %v, want %v", i, n, narrow[i], want)
				}
			}
			if sum[n] != 5 {
				t.Fatalf("AddScaled64 of %d elements writes behind them", n)
			}
		}
	})
}

// The average of several vectors is their sum, divided, for any division into turns.
func TestAverageScaled(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	eachLevel(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 130, averageTurn, 3*averageTurn + 17} {
			var x [][]float32
			var scale []float64
			sum := make([]float64, n)
			for range r.IntN(4) {
				part := make([]float32, n)
				for i := range part {
					part[i] = float32(r.NormFloat64())
				}
				x, scale = append(x, part), append(scale, r.Float64())
				AddScaled64(sum, part, scale[len(scale)-1])
			}
			want, got := make([]float32, n), make([]float32, n)
			DivNarrow(want, sum, 2.5)
			AverageScaled(got, x, scale, 2.5)
			if !slices.Equal(got, want) {
				t.Fatalf("the average of %d lists of %d elements is another one", len(x), n)
			}
		}
	})
}

// TestAllFinite checks that infinities and NaN are found at each position.
func TestAllFinite(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	eachLevel(t, func(t *testing.T) {
		for n := range 300 {
			x := make([]float32, n)
			for i := range x {
				x[i] = math.MaxFloat32 * float32(1-2*(i%2))
			}
			if !AllFinite(x) {
				t.Fatalf("%d finite elements are not", n)
			}
			for i := range x {
				old := x[i]
				for _, bad := range []float32{inf, -inf, nan, -nan} {
					if x[i] = bad; AllFinite(x) {
						t.Fatalf("%d elements of which number %d is %v are finite", n, i, bad)
					}
				}
				x[i] = old
			}
		}
	})
}

// A value that is not finite is found by any thread, and the next search does not remember it.
func TestAllFiniteShared(t *testing.T) {
	defer SetThreads(0)
	eachLevel(t, func(t *testing.T) {
		x := make([]float32, 5*vecTurn+7)
		fill(x, math.MaxFloat32)
		for _, threads := range []int{1, 4} {
			SetThreads(threads)
			for _, i := range []int{0, vecTurn, len(x) - 1} {
				x[i] = float32(math.NaN())
				if AllFinite(x) {
					t.Errorf("%d threads: elements of which number %d is NaN are finite", threads, i)
				}
				if x[i] = 1; !AllFinite(x) {
					t.Errorf("%d threads: finite elements are not", threads)
				}
			}
			if n := allocations(10, func() { AllFinite(x) }); n != 0 && !raceEnabled {
				t.Errorf("%d threads: %v allocations", threads, n)
			}
		}
	})
}

// BenchmarkAverage measures the kernels of averages.
func BenchmarkAverage(b *testing.B) {
	x, sum := make([]float32, 1_663_370), make([]float64, 1_663_370)
	b.SetBytes(int64(4 * len(x)))
	b.Run("AllFinite", func(b *testing.B) {
		for b.Loop() {
			AllFinite(x)
		}
	})
	b.Run("AddScaled64", func(b *testing.B) {
		for b.Loop() {
			AddScaled64(sum, x, 0.5)
		}
	})
	b.Run("DivNarrow", func(b *testing.B) {
		for b.Loop() {
			DivNarrow(x, sum, 3)
		}
	})
}
