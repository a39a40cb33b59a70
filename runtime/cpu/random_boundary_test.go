package cpu

import (
	"math"
	"testing"
)

// TestRandomUniformHalfOpen draws between neighboring floats, where sums are often rounded up, and between the largest ones,
// whose distance has no float.
func TestRandomUniformHalfOpen(t *testing.T) {
	testRandomUniformHalfOpen(t, math.MaxFloat32, func(x, y float32) float32 { return math.Nextafter32(x, y) })
	testRandomUniformHalfOpen(t, math.MaxFloat64, math.Nextafter)
}

func testRandomUniformHalfOpen[T Float](t *testing.T, most float64, after func(x, y T) T) {
	next := func(v float64) float64 { return float64(after(T(v), T(math.Inf(1)))) }
	for _, c := range [][2]float64{
		{1, next(1)}, {1, next(next(1))}, {1, 2}, {-2, -1}, {-next(1), -1}, {0, next(0)}, {-next(0), next(0)},
		{-most, most}, {-most / 2, most}, {-most, -most / 2}, {1 << 24, 1<<24 + 2}, {5, 5}, {2, 1}, {-1, -2}, {next(1), 1}, {most, -most}, {0, 0},
	} {
		low, high := T(c[0]), T(c[1])
		x := make([]T, 4096)
		RandomUniform(x, c[0], c[1], 3)
		positive, negative := false, false
		for i, v := range x {
			inside := low <= v && v < high || low >= v && v > high || low == high && v == low
			if !inside {
				t.Fatalf("%T %d from %v to before %v is %v", v, i, low, high, v)
			}
			positive, negative = positive || v > 0, negative || v < 0
		}
		if math.Abs(c[0]) == most && c[1] == -c[0] && !(positive && negative) {
			t.Errorf("%T from %v to %v have one sign", low, low, high)
		}
	}
}
