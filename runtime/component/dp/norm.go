package dp

import (
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/values"
)

// norm returns the Euclidean norm of a contribution, which must be finite.
func norm(x *values.Large[float32]) (float64, error) {
	square, at := 0.0, 0
	for part, err := range x.Parts() {
		if err != nil {
			return 0, err
		}
		sum, err := squared(part, at)
		if err != nil {
			return 0, err
		}
		square += sum
		at += len(part)
	}
	return math.Sqrt(square), nil
}

// squared returns the sum of the squares of elements, whose first index is at.
func squared(x []float32, at int) (sum float64, err error) {
	sum = cpu.SumSquares64(x)
	if sum-sum == 0 {
		return sum, nil
	}
	i := slices.IndexFunc(x, func(v float32) bool { return v-v != 0 })
	return 0, fmt.Errorf("element %d is %v", at+i, x[i])
}
