package gates

import (
	"math"
	"testing"
)

// at computes a gate at x, as kernels do.
func (g *Gate) at(x float64) float64 {
	place := min(math.RoundToEven(x*float64(g.Scale)), 15)
	if place == 15 {
		return float64(g.Coeffs[5][15])
	}
	t, sum := x*float64(g.Scale)-place, 0.0
	for _, c := range g.Coeffs {
		sum = sum*t + float64(c[int(place)])
	}
	return sum
}

// TestGates compares the polynomials with the functions, also where one polynomial ends and the next begins.
func TestGates(t *testing.T) {
	for _, c := range []struct {
		name string
		gate Gate
		most float64 // by which it may be off
		p    func(x float64) float64
	}{
		{"Gelu", Gelu, 3e-8, func(x float64) float64 { return math.Erf(x/math.Sqrt2) / 2 }},
		{"GeluTanh", GeluTanh, 3e-8, func(x float64) float64 { return math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)) / 2 }},
		{"Silu", Silu, 3e-7, func(x float64) float64 { return 1/(1+math.Exp(-x)) - 0.5 }},
	} {
		worst, where := 0.0, 0.0
		for i := range 20001 {
			x := float64(i) / 1000
			if off := math.Abs(c.gate.at(x) - c.p(x)); off > worst {
				worst, where = off, x
			}
		}
		if worst > c.most {
			t.Errorf("%s is off by %.2g at %v, want at most %g", c.name, worst, where, c.most)
		}
	}
}

// TestEnds: from the last place on a gate is 1/2, and all polynomials there are constant.
func TestEnds(t *testing.T) {
	for name, g := range map[string]Gate{"Gelu": Gelu, "GeluTanh": GeluTanh, "Silu": Silu} {
		for i, c := range g.Coeffs {
			if want := []float32{0, 0, 0, 0, 0, 0.5}[i]; c[15] != want {
				t.Errorf("%s: the factor of t^%d is %v at the last place, want %v", name, 5-i, c[15], want)
			}
		}
	}
}
