package section

import "slices"

// Median returns the median of a figure of several runs, and 0 if there are none. Of an even number it is the larger of the
// two in the middle.
func Median[T any](runs []T, figure func(T) float64) float64 {
	if len(runs) == 0 {
		return 0
	}
	x := make([]float64, len(runs))
	for i, r := range runs {
		x[i] = figure(r)
	}
	slices.Sort(x)
	return x[len(x)/2]
}
