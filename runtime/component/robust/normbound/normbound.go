// Package normbound averages contributions with a bounded norm: Z. Sun, P. Kairouz, A. T. Suresh and H. B.
// McMahan, "Can You Really Backdoor Federated Learning?", 2019.
package normbound

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/robust"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Aggregator implements the role Aggregator: the mean of the contributions, scaled down to a maximum norm. It
// is for changes of a model, not for models, whose norm means little. fedavg.Average with MaxNorm keeps only
// one sum, but needs a fixed bound, and trusts the weights.
type Aggregator struct {
	robust.Contributions
	Max float64 // the maximum norm; 0: the median of the norms in each round
}

// Open checks the configuration.
func (a *Aggregator) Open(runtime.Env) error {
	if !(a.Max >= 0) || math.IsInf(a.Max, 0) {
		return fmt.Errorf("normbound.Aggregator: Max is %v, want 0 or more", a.Max)
	}
	return nil
}

// Aggregate returns that mean. The result is valid until the next call.
func (a *Aggregator) Aggregate(context.Context) (tensor.Dense[float32], error) {
	return a.Combine(a.rule)
}

func (a *Aggregator) rule(dst []float32, x [][]float32, _ []float32) error {
	norms := make([]float64, len(x))
	for i := range x {
		norms[i] = robust.Norm(x[i])
	}
	bound := a.Max
	if bound == 0 {
		sorted := slices.Sorted(slices.Values(norms))
		bound = sorted[(len(sorted)-1)/2]
	}
	for i, n := range norms {
		norms[i] = 1
		if n > bound {
			norms[i] = bound / n
		}
	}
	cpu.AverageScaled(dst, x, norms, float64(len(x)))
	return nil
}
