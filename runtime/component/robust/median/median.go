// Package median aggregates by the coordinate-wise median: D. Yin, Y. Chen, K.
// Ramchandran and P. Bartlett, "Byzantine-Robust Distributed Learning: Towards Optimal
// Statistical Rates", 2018.
package median

import (
	"context"

	"github.com/bbgen/bbgen/runtime/component/robust"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Aggregator implements the role Aggregator: each element is the median of that element of all contributions.
// Fewer than half of the peers cannot move it beyond the values of the others.
type Aggregator struct{ robust.Contributions }

// Aggregate returns the medians. The result is valid until the next call.
func (a *Aggregator) Aggregate(context.Context) (tensor.Dense[float32], error) {
	return a.Combine(Rule)
}

// Rule is the [robust.Rule].
func Rule(dst []float32, x [][]float32, _ []float32) error {
	robust.Columns(dst, x, robust.Middle)
	return nil
}
