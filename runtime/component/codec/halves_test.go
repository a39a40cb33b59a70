package codec

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// halfNumbers returns all finite numbers of a format of 16 bits, in order, computed from its definition.
func halfNumbers(exponentBits, fractionBits int) (all []float64) {
	bias := 1<<(exponentBits-1) - 1
	for e := range 1<<exponentBits - 1 {
		for f := range 1 << fractionBits {
			v := math.Ldexp(float64(f)+math.Ldexp(1, fractionBits), e-bias-fractionBits)
			if e == 0 {
				v = math.Ldexp(float64(f), 1-bias-fractionBits)
			}
			if all = append(all, v); v > 0 {
				all = append(all, -v)
			}
		}
	}
	slices.Sort(all)
	return all
}

// nearestOf returns the numbers of a sorted list that are nearest to x: two if x is in the middle.
func nearestOf(all []float64, x float64) []float64 {
	i := min(max(sort.SearchFloat64s(all, x), 1), len(all)-1)
	low, high := all[i-1], all[i]
	switch d := (x - low) - (high - x); {
	case d < 0:
		return []float64{low}
	case d > 0:
		return []float64{high}
	}
	return []float64{low, high}
}

// TestHalvesAreNearest: each finite element becomes one of the nearest finite numbers of its format, in whatever part of a vector,
// and with its sign; infinities and NaN remain what they are.
func TestHalvesAreNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var x []float32
	for _, v := range []float32{0, 65504, 65519.996, 65520, 65535, 65536, 0x1p127, 0x1.fep127, 0x1.fefffep127, 0x1.ffp127, math.MaxFloat32, 0x1p-24, 0x1p-25, 0x1.000002p-25, 0x1p-14, 0x1p-126, 0x1p-134, math.SmallestNonzeroFloat32} {
		x = append(x, v, -v)
	}
	for range 20_000 {
		v := math.Float32frombits(r.Uint32())
		if r.IntN(2) == 0 {
			v = float32(r.NormFloat64() * 30_000)
		}
		x = append(x, v)
	}
	x = append(x, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()))
	r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	for name, c := range map[string]struct {
		coder
		all []float64
	}{"float16": {Float16{}, halfNumbers(5, 10)}, "bfloat16": {BFloat16{}, halfNumbers(8, 7)}} {
		y := through(t, c.coder, tensor.DenseOf(x, len(x))).Data
		for i, v := range x {
			got := float64(y[i])
			switch {
			case v-v != 0:
				if float64(v) != got && !(v != v && y[i] != y[i]) {
					t.Errorf("%s: %v becomes %v", name, v, y[i])
				}
			case !slices.Contains(nearestOf(c.all, float64(v)), got) || math.Signbit(float64(v)) != math.Signbit(got):
				t.Errorf("%s: %v becomes %v, want one of %v", name, v, y[i], nearestOf(c.all, float64(v)))
			}
		}
	}
}
