package drift

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Nova is the client of FedNova: J. Wang and others, "Tackling the Objective Inconsistency Problem in
// Heterogeneous Federated Optimization", 2020. Clients take different numbers of steps and send their change
// per effective step, and the number of effective steps. The server's change is the product of the two means:
//
//	next := g.Add(params, g.Mul(changes, steps))
type Nova struct {
	Momentum float64 // of the client's steps; 0: none
	Proximal float64 // Mu of [Prox] times the rate of the steps; 0: none

	out tensor.Dense[float32]
}

// Open checks the configuration.
func (n *Nova) Open(runtime.Env) error {
	for _, x := range []float64{n.Momentum, n.Proximal} {
		if !(x >= 0 && x < 1) {
			return fmt.Errorf("drift.Nova: Momentum or Proximal is %v, want a number from 0 to less than 1", x)
		}
	}
	if n.Momentum > 0 && n.Proximal > 0 {
		return fmt.Errorf("drift.Nova: Momentum is %v and Proximal %v, want one of them", n.Momentum, n.Proximal)
	}
	return nil
}

// Effective returns the sum of the weights of the gradients of so many steps in their change: ‖a‖₁ of the
// paper. Without momentum and a proximal term it is the number of steps.
func (n *Nova) Effective(steps int64) (float32, error) {
	k := float64(steps)
	switch {
	case steps < 1:
		return 0, fmt.Errorf("a round of %d steps, want 1 at least", steps)
	case n.Momentum > 0:
		return float32((k - n.Momentum*(1-math.Pow(n.Momentum, k))/(1-n.Momentum)) / (1 - n.Momentum)), nil
	case n.Proximal > 0:
		return float32((1 - math.Pow(1-n.Proximal, k)) / n.Proximal), nil
	}
	return float32(k), nil
}

// Normalized returns the change from one model to another per effective step. The result is valid until the
// next call.
func (n *Nova) Normalized(from, to tensor.Dense[float32], steps int64) (tensor.Dense[float32], error) {
	effective, err := n.Effective(steps)
	if err != nil {
		return n.out, err
	}
	err = each(&n.out, func(i int) float64 { return (float64(to.Data[i]) - float64(from.Data[i])) / float64(effective) }, from, to)
	return n.out, err
}

// AppendBinary appends nothing: there is no state.
func (n *Nova) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads the output of AppendBinary.
func (n *Nova) UnmarshalBinary(b []byte) error { return values.NewFields(b).End() }
