// Package bulyan aggregates by Krum and a trimmed mean: E. M. El Mhamdi, R. Guerraoui
// and S. Rouault, "The Hidden Vulnerability of Distributed Learning in Byzantium", 2018.
package bulyan

import (
	"context"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/robust"
	"github.com/bbgen/bbgen/runtime/component/robust/krum"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Aggregator implements the role Aggregator: n-2·Faulty contributions are chosen, one after the other, each by
// Krum among the remaining ones. Then each element is the mean of the n-4·Faulty chosen values nearest to their
// median. A large change of few elements, which Krum alone does not detect, has no effect.
type Aggregator struct {
	robust.Contributions
	Faulty int // the maximum number of hostile peers, of at least 4·Faulty+3
}

// Open checks the configuration.
func (a *Aggregator) Open(runtime.Env) error {
	return robust.CheckFaulty("bulyan.Aggregator", a.Faulty)
}

// Aggregate returns those means. The result is valid until the next call.
func (a *Aggregator) Aggregate(context.Context) (tensor.Dense[float32], error) {
	return a.Combine(a.rule)
}

func (a *Aggregator) rule(dst []float32, x [][]float32, _ []float32) error {
	if err := robust.Least(x, 4*a.Faulty+3, a.Faulty); err != nil {
		return err
	}
	chosen := choose(x, a.Faulty)
	keep := len(x) - 4*a.Faulty
	robust.Columns(dst, chosen, func(sorted []float32) float32 { return nearest(sorted, keep) })
	return nil
}

// choose returns the contributions that Krum chooses one after the other.
func choose(x [][]float32, faulty int) (chosen [][]float32) {
	distances := robust.Distances(x)
	left := make([]int, len(x))
	for i := range left {
		left[i] = i
	}
	for range len(x) - 2*faulty {
		scores := krum.Scores(distances, left, faulty)
		best := slices.Index(scores, slices.Min(scores))
		chosen = append(chosen, x[left[best]])
		left = slices.Delete(left, best, best+1)
	}
	return chosen
}

// nearest returns the mean of the k values nearest to the median. They are adjacent: the window moves up as
// long as the next value is nearer than the first one.
func nearest(sorted []float32, k int) float32 {
	middle := float64(robust.Middle(sorted))
	at := 0
	for at+k < len(sorted) && float64(sorted[at+k])-middle < middle-float64(sorted[at]) {
		at++
	}
	sum := 0.0
	for _, v := range sorted[at : at+k] {
		sum += float64(v)
	}
	return float32(sum / float64(k))
}
