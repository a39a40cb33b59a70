// Package qfedavg gives clients with a large loss more weight: T. Li, M. Sanjabi, A. Beirami and V. Smith,
// "Fair Resource Allocation in Federated Learning", 2020.
package qfedavg

import (
	"context"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/robust"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Aggregator implements the role Aggregator: q-FedAvg. A client contributes the change of its model by
// training, with its loss before that as weight; the aggregate is the change of the server's model:
//
//	Σ F^q·L·Δ / Σ (q·F^(q-1)·‖L·Δ‖² + L·F^q)
//
// for losses F, changes Δ and L = 1/Rate. A client that claims a large loss gets more weight: the rule does not
// protect against hostile clients.
type Aggregator struct {
	robust.Contributions
	Q    float64 // 0: equal weights; a larger Q gives large losses more weight
	Rate float64 // of the clients' training
}

// Open checks the configuration.
func (a *Aggregator) Open(runtime.Env) error {
	switch {
	case !(a.Q >= 0) || math.IsInf(a.Q, 0):
		return fmt.Errorf("qfedavg.Aggregator: Q is %v, want 0 or more", a.Q)
	case !(a.Rate > 0) || math.IsInf(a.Rate, 0):
		return fmt.Errorf("qfedavg.Aggregator: Rate is %v, want that of the clients' training", a.Rate)
	}
	return nil
}

// Aggregate returns the change of the model. The result is valid until the next call.
func (a *Aggregator) Aggregate(context.Context) (tensor.Dense[float32], error) {
	return a.Combine(a.rule)
}

func (a *Aggregator) rule(dst []float32, x [][]float32, losses []float32) error {
	scale, total, l := make([]float64, len(x)), 0.0, 1/a.Rate
	for i := range x {
		f, norm := float64(losses[i]), l*robust.Norm(x[i])
		scale[i] = math.Pow(f, a.Q) * l
		total += a.Q*math.Pow(f, a.Q-1)*norm*norm + scale[i]
	}
	if !(total > 0) || math.IsInf(total, 0) {
		return fmt.Errorf("the sum of the weights is %v: want a smaller Q for losses such as %v", total, losses[0])
	}
	cpu.AverageScaled(dst, x, scale, total)
	return nil
}
