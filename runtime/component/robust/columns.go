package robust

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// Columns sets each element of dst to the result of f for that element of all contributions, in ascending
// order. f may change its argument.
func Columns(dst []float32, x [][]float32, f func(column []float32) float32) {
	column := make([]float32, len(x))
	for i := range dst {
		for k := range x {
			column[k] = x[k][i]
		}
		slices.Sort(column)
		dst[i] = f(column)
	}
}

// Middle returns the median of a sorted list: for an even number the mean of the two in the middle.
func Middle(sorted []float32) float32 {
	n := len(sorted)
	return float32((float64(sorted[(n-1)/2]) + float64(sorted[n/2])) / 2)
}

// Mean writes the mean of contributions to dst.
func Mean(dst []float32, x [][]float32) {
	ones := make([]float64, len(x))
	for i := range ones {
		ones[i] = 1
	}
	cpu.AverageScaled(dst, x, ones, float64(len(x)))
}

// Least returns an error if there are fewer contributions than a rule needs against so many hostile ones.
func Least(x [][]float32, want, faulty int) error {
	if len(x) < want {
		return fmt.Errorf("%d contributions, want at least %d against %d hostile ones: set a larger quorum, or a smaller Faulty", len(x), want, faulty)
	}
	return nil
}

// CheckFaulty returns an error if the number of hostile peers in a configuration is invalid.
func CheckFaulty(name string, faulty int) error {
	if faulty < 0 {
		return fmt.Errorf("%s: Faulty is %d, want 0 or more", name, faulty)
	}
	return nil
}
