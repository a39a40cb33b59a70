package cpu

import "math"

// The functions of vec.go in float64.

func exactSigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
func exactGelu(x float64) float64    { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }
func exactSilu(x float64) float64    { return x / (1 + math.Exp(-x)) }
func exactGeluTanh(x float64) float64 {
	return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}
