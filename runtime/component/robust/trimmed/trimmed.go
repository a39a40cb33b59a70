// Package trimmed aggregates by the coordinate-wise trimmed mean: D. Yin, Y. Chen, K.
// Ramchandran and P. Bartlett, "Byzantine-Robust Distributed Learning: Towards Optimal
// Statistical Rates", 2018.
package trimmed

import (
	"context"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/robust"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Aggregator implements the role Aggregator: each element is the mean of that element of all contributions,
// without the Faulty largest and the Faulty smallest.
type Aggregator struct {
	robust.Contributions
	Faulty int // the maximum number of hostile peers, of at least 2·Faulty+1
}

// Open checks the configuration.
func (a *Aggregator) Open(runtime.Env) error {
	return robust.CheckFaulty("trimmed.Aggregator", a.Faulty)
}

// Aggregate returns the trimmed means. The result is valid until the next call.
func (a *Aggregator) Aggregate(context.Context) (tensor.Dense[float32], error) {
	return a.Combine(a.rule)
}

func (a *Aggregator) rule(dst []float32, x [][]float32, _ []float32) error {
	if err := robust.Least(x, 2*a.Faulty+1, a.Faulty); err != nil {
		return err
	}
	robust.Columns(dst, x, func(sorted []float32) float32 {
		sum := 0.0
		kept := sorted[a.Faulty : len(sorted)-a.Faulty]
		for _, v := range kept {
			sum += float64(v)
		}
		return float32(sum / float64(len(kept)))
	})
	return nil
}
