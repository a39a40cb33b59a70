package dp

import (
	"fmt"
	"math"
)

// atLeast returns an error if a configuration field is below its minimum.
func atLeast(name string, x, least float64) error {
	if !(x >= least) || math.IsInf(x, 0) {
		return fmt.Errorf("%s is %v, want %v or more", name, x, least)
	}
	return nil
}

// above0 returns an error if a configuration field is not positive.
func above0(name string, x float64) error {
	if !(x > 0) || math.IsInf(x, 0) {
		return fmt.Errorf("%s is %v, want more than 0", name, x)
	}
	return nil
}
