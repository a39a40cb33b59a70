package fedopt

import (
	"cmp"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The adaptive optimizers are those of S. Reddi and others, "Adaptive Federated
// Optimization", 2021: x + rate·m/(√v+τ) for m = β1·m + (1-β1)·Δ. They differ in v, which
// begins as τ².

// Adagrad is FedAdagrad.
type Adagrad struct {
	Rate  float64 // 0: 0.1
	Beta1 float64 // 0: no momentum, as in the paper
	Tau   float64 // 0: 0.001
	moments
}

// Open checks the configuration.
func (o *Adagrad) Open(runtime.Env) error {
	return check("fedopt.Adagrad", o.Rate, o.Tau, o.Beta1)
}

// Step has v = v + Δ².
func (o *Adagrad) Step(model, mean tensor.Dense[float32]) (tensor.Dense[float32], error) {
	return o.adapt(model, mean, adaptive{o.Rate, o.Beta1, o.Tau}, func(v, square float64) float64 { return v + square })
}

// Adam is FedAdam.
type Adam struct {
	Rate  float64 // 0: 0.1
	Beta1 float64 // 0: 0.9
	Beta2 float64 // 0: 0.99
	Tau   float64 // 0: 0.001
	moments
}

// Open checks the configuration.
func (o *Adam) Open(runtime.Env) error {
	return check("fedopt.Adam", o.Rate, o.Tau, o.Beta1, o.Beta2)
}

// Step has v = β2·v + (1-β2)·Δ².
func (o *Adam) Step(model, mean tensor.Dense[float32]) (tensor.Dense[float32], error) {
	beta := cmp.Or(o.Beta2, 0.99)
	return o.adapt(model, mean, adaptive{o.Rate, cmp.Or(o.Beta1, 0.9), o.Tau}, func(v, square float64) float64 {
		return beta*v + (1-beta)*square
	})
}

// Yogi is FedYogi.
type Yogi struct {
	Rate  float64 // 0: 0.1
	Beta1 float64 // 0: 0.9
	Beta2 float64 // 0: 0.99
	Tau   float64 // 0: 0.001
	moments
}

// Open checks the configuration.
func (o *Yogi) Open(runtime.Env) error {
	return check("fedopt.Yogi", o.Rate, o.Tau, o.Beta1, o.Beta2)
}

// Step has v = v - (1-β2)·Δ²·sign(v-Δ²).
func (o *Yogi) Step(model, mean tensor.Dense[float32]) (tensor.Dense[float32], error) {
	beta := cmp.Or(o.Beta2, 0.99)
	return o.adapt(model, mean, adaptive{o.Rate, cmp.Or(o.Beta1, 0.9), o.Tau}, func(v, square float64) float64 {
		switch {
		case v > square:
			return v - (1-beta)*square
		case v < square:
			return v + (1-beta)*square
		}
		return v
	})
}

// adaptive holds the common settings of adaptive optimizers.
type adaptive struct{ rate, beta1, tau float64 }

// adapt is a step of an adaptive optimizer; the function computes v from the previous v and Δ².
func (m *moments) adapt(model, mean tensor.Dense[float32], a adaptive, next func(v, square float64) float64) (tensor.Dense[float32], error) {
	rate, tau := cmp.Or(a.rate, 0.1), cmp.Or(a.tau, 1e-3)
	return m.step(model, mean, tau*tau, func(delta float64, first, second *float32) float64 {
		*first = float32(a.beta1*float64(*first) + (1-a.beta1)*delta)
		*second = float32(next(float64(*second), delta*delta))
		return rate * float64(*first) / (math.Sqrt(float64(*second)) + tau)
	})
}
