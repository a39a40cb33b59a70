package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// A product with weights of 16 bits has the bits of the product with the widened weights, at each level, with any number of
// rows and threads.
func TestMatMulPackedAddStored(t *testing.T) {
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(3, 1))
	eachLevel(t, func(t *testing.T) {
		for _, kn := range [][2]int{{0, 5}, {1, 1}, {3, 17}, {64, 32}, {65, 100}, {130, 129}, {513, 161}, {1024, 290}, {1100, 64}} {
			k, n := kn[0], kn[1]
			f16, bf16 := make([]tensor.F16, PackB32Size(k, n)), make([]tensor.BF16, PackB32Size(k, n))
			packed := make([]float32, PackB32Size(k, n))
			PackB32(packed, randoms(rng, k*n), k, n)
			CastToSmall(f16, packed, true, 0)
			CastToSmall(bf16, packed, true, 0)
			for _, m := range []int{0, 1, 2, 3, 4, 5, 14, 15, 64} {
				storedSameBits(t, rng, f16, m, k, n)
				storedSameBits(t, rng, bf16, m, k, n)
			}
		}
	})
}

// Many rows are multiplied with blocks of panels.
func TestMatMulPackedAddStoredOfManyRows(t *testing.T) {
	if testing.Short() {
		t.Skip("large products")
	}
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(3, 2))
	const k, n = 600, 300
	w := make([]tensor.F16, PackB32Size(k, n))
	packed := make([]float32, len(w))
	PackB32(packed, randoms(rng, k*n), k, n)
	CastToSmall(w, packed, true, 0)
	eachLevel(t, func(t *testing.T) { storedSameBits(t, rng, w, 2*blockRows+5, k, n) })
}

func storedSameBits[B Half](t *testing.T, rng *rand.Rand, w []B, m, k, n int) {
	t.Helper()
	wide := make([]float32, len(w))
	CastFromSmall(wide, w)
	a, bias, res := randoms(rng, m*k), randoms(rng, n), randoms(rng, m*n)
	s := MatMulShape{M: m, K: k, N: n}
	for i, act := range []Act{ActNone, ActRelu, ActHardSwish, ActTanh} {
		b, r := bias, res
		if i == 0 {
			b = nil
		}
		if i%2 == 0 {
			r = nil
		}
		want := make([]float32, m*n)
		SetThreads(1)
		MatMulPackedAdd32(want, a, wide, b, r, s, act)
		for threads := 1; threads <= 3; threads += 2 {
			SetThreads(threads)
			got, guards := guarded(m * n)
			MatMulPackedAddStored(got, a, w, b, r, s, act)
			guards(t)
			if !sameBits(got, want) {
				t.Errorf("%s: %T of %d×%d×%d with activation %d and %d threads has other bits", level, w, m, k, n, act, threads)
			}
		}
	}
	half := make([]tensor.BF16, len(a))
	CastToSmall(half, a, true, 0)
	CastFromSmall(a, half)
	want := make([]float32, m*n)
	MatMulPackedAdd32(want, a, wide, bias, res, s, ActRelu)
	got, guards := guarded(m * n)
	MatMulPackedAddStored(got, half, w, bias, res, s, ActRelu)
	guards(t)
	if _, tiles := any(w).([]tensor.BF16); !(tiles && halfWorth(m, k, n)) && !sameBits(got, want) {
		t.Errorf("%s: bfloat16 and %T of %d×%d×%d has other bits", level, w, m, k, n)
	}
}

// BenchmarkStored times products with weights of 32 and 16 bits in turn, of several matrices, as in a model.
func BenchmarkStored(b *testing.B) {
	defer SetThreads(0)
	SetThreads(1)
	rng := rand.New(rand.NewPCG(3, 3))
	for _, s := range [][3]int{{1, 2048, 2048}, {2, 2048, 2048}, {3, 2048, 2048}, {4, 2048, 2048}, {8, 2048, 2048}, {16, 2048, 2048}, {32, 2048, 2048}, {64, 2048, 2048}, {128, 2048, 2048}, {512, 2048, 2048}, {1, 256, 256}, {4, 256, 256}, {16, 256, 256}, {64, 256, 256}} {
		m, k, n := s[0], s[1], s[2]
		of32, of16 := make([]float32, PackB32Size(k, n)), make([]tensor.F16, PackB32Size(k, n))
		bf16 := make([]tensor.BF16, len(of16))
		PackB32(of32, randoms(rng, k*n), k, n)
		CastToSmall(of16, of32, true, 0)
		CastToSmall(bf16, of32, true, 0)
		a, dst := randoms(rng, m*k), make([]float32, m*n)
		for _, l := range Levels()[1:] {
			b.Run(fmt.Sprintf("%dx%dx%d/%v", m, k, n, l), func(b *testing.B) {
				defer SetLevel(SetLevel(l))
				f := deciles(b,
					func() { MatMulPacked32(dst, a, of32, nil, m, k, n, ActNone) },
					func() { MatMulPackedAddStored(dst, a, of16, nil, nil, MatMulShape{m, k, n}, ActNone) },
					func() { MatMulPackedAddStored(dst, a, bf16, nil, nil, MatMulShape{m, k, n}, ActNone) })
				b.ReportMetric(f[0]/1000, "us-float32")
				b.ReportMetric(f[0]/f[1], "x-float16")
				b.ReportMetric(f[0]/f[2], "x-bfloat16")
			})
		}
	}
}

// deciles returns the nanoseconds within which each function ran a tenth of the time: others use the processor, too. They are
// called in turn.
func deciles(b *testing.B, fs ...func()) []float64 {
	times, mid := make([][]float64, len(fs)), make([]float64, len(fs))
	for b.Loop() {
		for i, f := range fs {
			start := time.Now()
			f()
			times[i] = append(times[i], float64(time.Since(start).Nanoseconds()))
		}
	}
	for i, x := range times {
		slices.Sort(x)
		mid[i] = x[len(x)/10]
	}
	return mid
}
