// Package normbound averages contributions none of which may be long: Z. Sun, P. Kairouz,
// A. T. Suresh and H. B. McMahan, "Can You Really Backdoor Federated Learning?", 2019.
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

// Aggregator is the role Aggregator: the mean of the contributions, of which those that
// are longer than a bound are scaled down to it. It is for changes of a model, not for
// models, whose length says little. fedavg.Average with MaxNorm keeps one sum alone, but
// wants the bound to be known, and believes the weights.
type Aggregator struct {
	robust.Contributions
	Max float64 // the bound; 0: the median of the lengths in each round
}

// Open says what is wrong with the configuration.
func (a *Aggregator) Open(runtime.Env) error {
	if !(a.Max >= 0) || math.IsInf(a.Max, 0) {
		return fmt.Errorf("normbound.Aggregator: Max is %v, want 0 or more", a.Max)
	}
	return nil
}

// Aggregate is that mean. It is not changed before the next call.
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
