package codec

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// kept returns how many of n elements a sparse codec sends, at least one. The decoder requires that number, so
// that a few bytes never become a large tensor.
func kept(n int, fraction float64) int {
	return min(n, int(math.Ceil(fraction*float64(n))))
}

// defaultFraction is the default fraction of sent elements.
const defaultFraction = 0.01

// checkFraction returns an error if the fraction of sent elements is invalid.
func checkFraction(name string, f float64) error {
	if f != 0 && !(f >= 1e-6 && f <= 1) {
		return fmt.Errorf("%s: Fraction is %v, want a number from 0.000001 to 1, or 0 for %v", name, f, defaultFraction)
	}
	return nil
}

// zeros returns a tensor of zeros.
func zeros(shape []int) (x tensor.Dense[float32]) {
	x.Make(shape...)
	clear(x.Data)
	return x
}

func float32At(b []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
}

func appendFloat(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}
