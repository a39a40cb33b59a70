package differ

import (
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// tilt moves the elements of a tensor by their allowed error. Random changes find neither a sum that is
// exactly zero, nor two that are exactly equal, but integer arithmetic or another order of the terms does.
type tilt func(x, off float64, rng *rand.Rand) float64

// tilts are all directions.
var tilts = []tilt{
	func(x, off float64, _ *rand.Rand) float64 { return x + off },
	func(x, off float64, _ *rand.Rand) float64 { return x - off },
	eitherSide, eitherSide, eitherSide,
	anySize, anySize, anySize, anySize,
	func(x, off float64, _ *rand.Rand) float64 { return toGrid(x, off, math.RoundToEven) },
	func(x, off float64, _ *rand.Rand) float64 { return toGrid(x, off, math.RoundToEven) + 0 }, // no negative zero
	func(x, off float64, _ *rand.Rand) float64 { return toGrid(x, off, math.Floor) },
	func(x, off float64, _ *rand.Rand) float64 { return toGrid(x, 4*off, math.RoundToEven) },
	func(x, off float64, _ *rand.Rand) float64 { return toGrid(x, off/16, math.RoundToEven) },
	overflows,
	fitsIn,
}

// apply tilts t. Its elements are base in a computation without changes, and differ by off if values are
// shaken.
func (f tilt) apply(t *tensor.Tensor, base, off []float64, rng *rand.Rand) {
	if len(base) != t.Len() || len(off) != t.Len() {
		return // another branch, or a size that depends on data
	}
	change(t, func(i int, x float64) float64 {
		reach := margin * off[i]
		if !(math.Abs(x-base[i]) <= reach) || math.IsInf(reach, 0) {
			return x // its operands have moved it further
		}
		return f(base[i], reach, rng)
	})
}

func eitherSide(x, off float64, rng *rand.Rand) float64 {
	return x + off*float64(2*rng.IntN(2)-1)
}

// anySize returns the possible remainder of a sum with canceled terms: a number of any size below off, with
// any sign.
func anySize(x, off float64, rng *rand.Rand) float64 {
	if math.Abs(x) > off {
		return eitherSide(x, off, rng)
	}
	return eitherSide(0, math.Ldexp(off, -rng.IntN(48)), rng)
}

// toGrid returns x as a multiple of a power of four, so that nearly equal sums become equal, and sums that
// nearly cancel become zero.
func toGrid(x, off float64, round func(float64) float64) float64 {
	if off == 0 {
		return x
	}
	_, e := math.Frexp(off)
	grid := math.Ldexp(1, (e+1)/2*2)
	return round(x/grid) * grid
}

// far is a limit for numbers beyond which products and sums in float32 may overflow.
const far = 0x1p110

// overflows returns infinity for a large number, as if an intermediate result had overflowed.
func overflows(x, _ float64, _ *rand.Rand) float64 {
	if math.Abs(x) > far {
		return math.Copysign(math.Inf(1), x)
	}
	return x
}

// fitsIn returns a large number limited so that its next product does not overflow, as if the overflow had
// not occurred.
func fitsIn(x, _ float64, _ *rand.Rand) float64 { return max(-far, min(far, x)) }
