package dp

import (
	"fmt"
	"math"
)

// checkMin returns an error if a configuration field is below its minimum.
func checkMin(name string, x, least float64) error {
	if !(x >= least) || math.IsInf(x, 0) {
		return fmt.Errorf("%s is %v, want %v or more", name, x, least)
	}
	return nil
}

// checkPositive returns an error if a configuration field is not positive.
func checkPositive(name string, x float64) error {
	if !(x > 0) || math.IsInf(x, 0) {
		return fmt.Errorf("%s is %v, want more than 0", name, x)
	}
	return nil
}
