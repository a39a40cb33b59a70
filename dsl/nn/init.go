package nn

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// Initializer fills the tensor of a parameter, in row-major order. Random values depend only on the seed and
// the shape.
type Initializer func(dst []float32, shape []int, seed int) error

// Zeros returns an initializer that sets all elements to 0.
func Zeros() Initializer { return Constant(0) }

// Ones returns an initializer that sets all elements to 1.
func Ones() Initializer { return Constant(1) }

// Constant returns an initializer that sets all elements to v.
func Constant(v float64) Initializer {
	return func(dst []float32, _ []int, _ int) error {
		for i := range dst {
			dst[i] = float32(v)
		}
		return nil
	}
}

// Uniform returns an initializer that draws from the uniform distribution between low and high.
func Uniform(low, high float64) Initializer {
	return func(dst []float32, _ []int, seed int) error {
		if !(low <= high) || math.IsInf(high-low, 0) {
			return fmt.Errorf("uniform from %v to %v: want two numbers in order", low, high)
		}
		cpu.RandomUniform(dst, low, high, seed)
		return nil
	}
}

// Normal returns an initializer that draws from the normal distribution.
func Normal(mean, std float64) Initializer {
	return func(dst []float32, _ []int, seed int) error {
		if !(std >= 0) {
			return fmt.Errorf("the standard deviation is %v, want 0 or more", std)
		}
		cpu.RandomNormal(dst, mean, std, seed)
		return nil
	}
}

// TruncatedNormal returns an initializer that draws from the normal distribution between low and high, with
// the inverse of its distribution function.
//
// Burkardt, The Truncated Normal Distribution, 2014
func TruncatedNormal(mean, std, low, high float64) Initializer {
	return func(dst []float32, _ []int, seed int) error {
		if !(low < high) || !(std > 0) {
			return fmt.Errorf("normal of standard deviation %v between %v and %v: want one above 0, and two numbers in order", std, low, high)
		}
		below := func(x float64) float64 { return math.Erf((x - mean) / (std * math.Sqrt2)) }
		u := make([]float64, len(dst))
		cpu.RandomUniform(u, below(low), below(high), seed)
		for i, p := range u {
			x := mean + float64(std*math.Sqrt2*math.Erfinv(p))
			dst[i] = float32(min(max(x, low), high))
		}
		return nil
	}
}
