// Package geomedian aggregates by the geometric median: K. Pillutla, S. M. Kakade and Z.
// Harchaoui, "Robust Aggregation for Federated Learning", 2022, by the smoothed
// algorithm of E. Weiszfeld, 1937.
package geomedian

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/robust"
	"github.com/bbgen/bbgen/runtime/component/robust/median"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Aggregator implements the role Aggregator: the point with the smallest sum of distances to all contributions.
// Unlike the median of each element it does not depend on the choice of axes.
type Aggregator struct {
	robust.Contributions
	Steps int // maximum number of steps of Weiszfeld's algorithm; 0: 100
}

// Open checks the configuration.
func (a *Aggregator) Open(runtime.Env) error {
	if a.Steps < 0 {
		return fmt.Errorf("geomedian.Aggregator: Steps is %d, want 0 or more", a.Steps)
	}
	return nil
}

// Aggregate returns the geometric median. The result is valid until the next call.
func (a *Aggregator) Aggregate(context.Context) (tensor.Dense[float32], error) {
	return a.Combine(a.rule)
}

// small is the part of the median distance that counts as zero: a smaller step ends the search, and a smaller
// distance is raised to it. Few hostile contributions cannot make the median distance large.
const small = 1e-6

// rule begins at the median of each element, which few hostile contributions cannot move far, and moves to the
// mean with the inverse distances of contributions as weights.
func (a *Aggregator) rule(dst []float32, x [][]float32, weights []float32) error {
	if err := median.Rule(dst, x, weights); err != nil {
		return err
	}
	scale, next := make([]float64, len(x)), make([]float32, len(dst))
	for range cmp.Or(a.Steps, 100) {
		least := small * distances(scale, x, dst)
		if least == 0 {
			break // most contributions are this point
		}
		total := 0.0
		for i, d := range scale {
			scale[i] = least / max(d, least)
			total += scale[i]
		}
		cpu.AverageScaled(next, x, scale, total)
		step := math.Sqrt(robust.Squared(dst, next))
		copy(dst, next)
		if step <= least {
			break
		}
	}
	return nil
}

// distances writes the distances of contributions from a point, and returns the median distance.
func distances(dst []float64, x [][]float32, from []float32) (middle float64) {
	for i := range x {
		dst[i] = math.Sqrt(robust.Squared(x[i], from))
	}
	sorted := slices.Sorted(slices.Values(dst))
	return sorted[(len(sorted)-1)/2]
}
