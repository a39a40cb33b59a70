package cpu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestReduceL2Integers compares roots with exact ones, of sums up to the largest integers. Sums that overflow wrap around; the
// root of a negative one is the lowest integer on every processor.
func TestReduceL2Integers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	check := func(x []int64) {
		sum := new(big.Int)
		for _, v := range x {
			sum.Add(sum, new(big.Int).Mul(big.NewInt(v), big.NewInt(v)))
		}
		want := int64(math.MinInt64)
		if s := wrapped[int64](sum); s >= 0 {
			want = new(big.Int).Sqrt(big.NewInt(s)).Int64()
		}
		got := make([]int64, 1)
		ReduceL2(got, x, []int{len(x)}, []int{1})
		if got[0] != want {
			t.Errorf("of %v: %d, want %d", x, got[0], want)
		}
	}
	check([]int64{1 << 31, 1 << 31, 1 << 31})
	check([]int64{math.MaxInt64, math.MinInt64, 2})
	check([]int64{3037000499}) // the largest number with a square in 63 bits
	for range 3000 {
		k := rng.Int64N(3037000499) + 1
		rest := k*k - 1 // of which the root is k-1; written as a sum of squares, the largest first
		var x []int64
		for rest > 0 {
			r := new(big.Int).Sqrt(big.NewInt(rest)).Int64()
			x = append(x, r)
			rest -= r * r
		}
		check(x)
	}
	got := []uint64{0} // sums above the largest int64 do not overflow
	ReduceL2(got, []uint64{1 << 31, 3 << 30}, []int{2}, []int{1})
	if want := new(big.Int).Sqrt(new(big.Int).SetUint64(1<<62 + 9<<60)).Uint64(); got[0] != want {
		t.Errorf("of uint64: %d, want %d", got[0], want)
	}
}

// TestShrinkOutOfRange has the integers of Cast where a bias leads out of the type's range.
func TestShrinkOutOfRange(t *testing.T) {
	testShrink(t, []int8{-128, 127, 0, 1})
	testShrink(t, []uint8{0, 1, 99, 255})
	testShrink(t, []int16{math.MinInt16, math.MaxInt16, 5})
	testShrink(t, []uint16{0, 1, math.MaxUint16})
	testShrink(t, []int32{math.MinInt32, math.MaxInt32, -7})
	testShrink(t, []uint32{0, 1, math.MaxUint32})
	testShrink(t, []int64{math.MinInt64, math.MaxInt64, 1, -1})
	testShrink(t, []uint64{0, 1, math.MaxUint64})
}

func testShrink[T Integer](t *testing.T, x []T) {
	for _, bias := range []float64{0, 2, -2, 100, -200, 3e5, -3e5, 5e9, -5e9, 1e19, -1e19, 1e300, inf, -inf, nan} {
		got, want := make([]T, len(x)), make([]T, 1)
		Shrink(got, x, bias, 0.5)
		for i, v := range x {
			w := float64(v)
			switch {
			case w > 0.5:
				w -= bias
			case w < -0.5:
				w += bias
			default:
				w = 0
			}
			Cast(want, []float64{w})
			if got[i] != want[0] {
				t.Errorf("%T %d with bias %v: %d, want %d", v, v, bias, got[i], want[0])
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() { Shrink(x, x, 1, 0.5) }); n != 0 {
		t.Errorf("Shrink of %T allocates %v times", x, n)
	}
}
