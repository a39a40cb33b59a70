package cpu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestRangeSizeIntegers compares the number of steps with integers of any size: ⌈(limit-start)/delta⌉, or 0 if that is negative.
func TestRangeSizeIntegers(t *testing.T) {
	t.Run("int8", testRangeSize[int8])
	t.Run("int16", testRangeSize[int16])
	t.Run("int32", testRangeSize[int32])
	t.Run("int64", testRangeSize[int64])
	t.Run("uint8", testRangeSize[uint8])
	t.Run("uint16", testRangeSize[uint16])
	t.Run("uint32", testRangeSize[uint32])
	t.Run("uint64", testRangeSize[uint64])
}

func testRangeSize[T Integer](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := edges[T]()
	for range 8 {
		values = append(values, T(rng.Uint64()), T(rng.IntN(7)))
	}
	for _, start := range values {
		for _, limit := range values {
			for _, delta := range values {
				if delta == 0 {
					continue
				}
				n := new(big.Int).Sub(bigOf(limit), bigOf(start))
				step := bigOf(delta)
				if step.Sign() < 0 {
					n.Neg(n)
					step = new(big.Int).Neg(step)
				}
				if n.Sign() < 0 {
					n.SetInt64(0)
				}
				n.Add(n, step)
				n.Sub(n, big.NewInt(1))
				n.Quo(n, step)
				var got int
				err := failure(func() { got = RangeSize([]T{start}, []T{limit}, []T{delta}) })
				if tooMany := n.Cmp(big.NewInt(maxExtent)) > 0; tooMany != (err != nil) {
					t.Fatalf("from %v to %v by %v are %v: got error %v", start, limit, delta, n, err)
				}
				if err == nil && int64(got) != n.Int64() {
					t.Fatalf("from %v to %v by %v: got %d, want %v", start, limit, delta, got, n)
				}
			}
		}
	}
}

// TestRangeElements checks that elements begin at start, are delta apart modulo the size of the type, and stop before limit.
func TestRangeElements(t *testing.T) {
	got := make([]int8, RangeSize([]int8{-128}, []int8{127}, []int8{85}))
	Range(got, []int8{-128}, []int8{85})
	equal(t, "upwards", got, -128, -43, 42)
	got = make([]int8, RangeSize([]int8{127}, []int8{-128}, []int8{-100}))
	Range(got, []int8{127}, []int8{-100})
	equal(t, "downwards", got, 127, 27, -73)
	f := make([]float64, RangeSize([]float64{1}, []float64{-1}, []float64{-0.75}))
	Range(f, []float64{1}, []float64{-0.75})
	equal(t, "floats", f, 1, 0.25, -0.5)
}

// TestRangeSizeFloats checks ranges that are empty, that are too long, and whose ends are not finite.
func TestRangeSizeFloats(t *testing.T) {
	for _, c := range []struct {
		start, limit, delta float64
		want                int // -1 for an error
	}{
		{5, 5, -2, 0}, {5, 5, 2, 0}, {0, math.Copysign(0, -1), 1, 0}, {0, -inf, 1, 0}, {0, inf, -1, 0}, {0, inf, 1, -1},
		{0, 1, inf, 0}, {0, 1, -inf, 0}, {0, 5e-324, 1, 1}, {0, 1, 5e-324, -1}, {0, nan, 1, -1}, {nan, 0, 1, -1}, {0, 1, nan, -1},
		{inf, inf, 1, -1}, {1, 2, 0.25, 4}, {1, math.Nextafter(2, 3), 0.25, 5}, {1, math.Nextafter(2, 1), 0.25, 4}, {0, 1, 0, -1},
	} {
		got := -1
		failure(func() { got = RangeSize([]float64{c.start}, []float64{c.limit}, []float64{c.delta}) })
		if got != c.want {
			t.Errorf("from %v to %v by %v: got %d, want %d", c.start, c.limit, c.delta, got, c.want)
		}
	}
}
