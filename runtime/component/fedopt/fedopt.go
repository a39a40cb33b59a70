// Package fedopt has optimizers for the server of a federation, which use the average change of the clients as
// a gradient. An optimizer is a separate component, so that it can be combined with every aggregation rule:
//
//	mean := s.Average.Aggregate(g, contributed, dsl.Quorum(4))
//	next := s.Optimizer.Call(g, "Step", dsl.Float32(dsl.Any), params, mean)
//	r.Next(params, next)
package fedopt

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// moments is the state of an optimizer. The zero value is the initial state.
type moments struct {
	first, second tensor.Dense[float32] // with the shape of the model
	next          tensor.Dense[float32] // the result of Step
}

// rule returns the change of one element from its average change by the clients and the two moments, which it
// updates.
type rule func(delta float64, first, second *float32) float64

// step returns the model after a round that began with model and has the average mean. The result is valid
// until the next call.
func (m *moments) step(model, mean tensor.Dense[float32], begin float64, f rule) (tensor.Dense[float32], error) {
	if !slices.Equal(model.Shape, mean.Shape) {
		return mean, fmt.Errorf("the average has shape %v, want the model's, %v", mean.Shape, model.Shape)
	}
	isFirst := m.first.Shape == nil
	if err := m.begin(model.Shape, float32(begin)); err != nil {
		return mean, err
	}
	if !m.isFinite(model, mean, f) {
		if isFirst {
			m.first, m.second = tensor.Dense[float32]{}, tensor.Dense[float32]{}
		}
		return mean, errors.New("the step leads to what is not finite: want a smaller rate")
	}
	m.next.Resize(model.Shape...)
	for i, x := range model.Data {
		delta := float64(mean.Data[i]) - float64(x)
		m.next.Data[i] = float32(float64(x) + f(delta, &m.first.Data[i], &m.second.Data[i]))
	}
	return m.next, nil
}

// isFinite reports whether a step gives a finite model and finite moments. It changes nothing, so that a step that is refused
// has no effect on later ones. The step is computed twice, since copies of the moments would take the memory of two models.
func (m *moments) isFinite(model, mean tensor.Dense[float32], f rule) bool {
	for i, x := range model.Data {
		delta := float64(mean.Data[i]) - float64(x)
		first, second := m.first.Data[i], m.second.Data[i]
		next := float32(float64(x) + f(delta, &first, &second))
		if next-next != 0 || first-first != 0 || second-second != 0 {
			return false
		}
	}
	return true
}

// begin gives the moments a model's shape, with an initial value for the second.
func (m *moments) begin(shape []int, second float32) error {
	if m.first.Shape != nil && !slices.Equal(m.first.Shape, shape) {
		return fmt.Errorf("the model has shape %v, want that of earlier rounds, %v", shape, m.first.Shape)
	}
	if m.first.Shape == nil {
		m.first.Make(shape...)
		m.second.Make(shape...)
		clear(m.first.Data)
		for i := range m.second.Data {
			m.second.Data[i] = second
		}
	}
	return nil
}

// AppendBinary appends the moments.
func (m *moments) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendScalar(b, m.first.Shape != nil)
	if m.first.Shape != nil {
		b = values.AppendDense(values.AppendDense(b, m.first), m.second)
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (m *moments) UnmarshalBinary(b []byte) error {
	var read moments
	var begun bool
	f := values.NewFields(b)
	if values.ReadScalar(f, &begun); begun {
		values.ReadDense(f, &read.first)
		values.ReadDense(f, &read.second)
	}
	if err := f.End(); err != nil {
		return err
	}
	if !slices.Equal(read.first.Shape, read.second.Shape) {
		return fmt.Errorf("moments of shapes %v and %v", read.first.Shape, read.second.Shape)
	}
	m.first, m.second = read.first, read.second
	return nil
}

// Momentum is FedAvgM: T.-M. H. Hsu, H. Qi and M. Brown, "Measuring the Effects of
// Non-Identical Data Distribution for Federated Visual Classification", 2019.
type Momentum struct {
	Rate float64 // 0: 1
	Beta float64 // 0: 0.9
	moments
}

// Open checks the configuration.
func (o *Momentum) Open(runtime.Env) error {
	return check("fedopt.Momentum", o.Rate, 0, o.Beta)
}

// Step is x + rate·v for v = β·v + Δ.
func (o *Momentum) Step(model, mean tensor.Dense[float32]) (tensor.Dense[float32], error) {
	rate, beta := cmp.Or(o.Rate, 1), cmp.Or(o.Beta, 0.9)
	return o.step(model, mean, 0, func(delta float64, v, _ *float32) float64 {
		*v = float32(beta*float64(*v) + delta)
		return rate * float64(*v)
	})
}

// Nesterov is the outer optimizer of DiLoCo: A. Douillard and others, "DiLoCo:
// Distributed Low-Communication Training of Language Models", 2023. Its clients take
// many steps of AdamW in each round.
type Nesterov struct {
	Rate float64 // 0: 0.7
	Beta float64 // 0: 0.9
	moments
}

// Open checks the configuration.
func (o *Nesterov) Open(runtime.Env) error {
	return check("fedopt.Nesterov", o.Rate, 0, o.Beta)
}

// Step is x + rate·(Δ + β·v) for v = β·v + Δ.
func (o *Nesterov) Step(model, mean tensor.Dense[float32]) (tensor.Dense[float32], error) {
	rate, beta := cmp.Or(o.Rate, 0.7), cmp.Or(o.Beta, 0.9)
	return o.step(model, mean, 0, func(delta float64, v, _ *float32) float64 {
		*v = float32(beta*float64(*v) + delta)
		return rate * (delta + beta*float64(*v))
	})
}

// check returns an error if numbers, of which 0 means the default, are invalid.
func check(name string, rate, tau float64, betas ...float64) error {
	for _, x := range []float64{rate, tau} {
		if !(x >= 0) || math.IsInf(x, 0) {
			return fmt.Errorf("%s: Rate or Tau is %v, want a number above 0, or 0 for the usual one", name, x)
		}
	}
	for _, b := range betas {
		if !(b >= 0 && b < 1) {
			return fmt.Errorf("%s: Beta is %v, want a number from 0 to less than 1", name, b)
		}
	}
	return nil
}
