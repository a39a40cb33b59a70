// Package krum aggregates by choosing the contributions that have near neighbors: P.
// Blanchard, E. M. El Mhamdi, R. Guerraoui and J. Stainer, "Machine Learning with
// Adversaries: Byzantine Tolerant Gradient Descent", 2017.
package krum

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/robust"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Aggregator implements the role Aggregator: Krum, or multi-Krum if Keep is more than 1. A contribution's score
// is the sum of the squared distances to its n-Faulty-2 nearest contributions.
type Aggregator struct {
	robust.Contributions
	Faulty int // the maximum number of hostile peers, of at least 2·Faulty+3
	Keep   int // the number of contributions with the lowest scores in the mean; 0: 1, which is Krum
}

// Open checks the configuration.
func (a *Aggregator) Open(runtime.Env) error {
	if a.Keep < 0 {
		return fmt.Errorf("krum.Aggregator: Keep is %d, want 0 or more", a.Keep)
	}
	return robust.CheckFaulty("krum.Aggregator", a.Faulty)
}

// Aggregate returns the mean of the contributions with the lowest scores. The result is valid until the next
// call.
func (a *Aggregator) Aggregate(context.Context) (tensor.Dense[float32], error) {
	return a.Combine(a.rule)
}

func (a *Aggregator) rule(dst []float32, x [][]float32, _ []float32) error {
	keep := cmp.Or(a.Keep, 1)
	if err := robust.Least(x, max(2*a.Faulty+3, a.Faulty+keep), a.Faulty); err != nil {
		return err
	}
	among := make([]int, len(x))
	for i := range among {
		among[i] = i
	}
	scores := Scores(robust.Distances(x), among, a.Faulty)
	slices.SortStableFunc(among, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	chosen := make([][]float32, keep)
	for k := range chosen {
		chosen[k] = x[among[k]]
	}
	robust.Mean(dst, chosen)
	return nil
}

// Scores returns the scores of some of the contributions among each other: the sum of the smallest
// len(among)-faulty-2 squared distances, at least one.
func Scores(distances [][]float64, among []int, faulty int) []float64 {
	scores := make([]float64, len(among))
	near := make([]float64, 0, len(among))
	for i, a := range among {
		near = near[:0]
		for _, b := range among {
			if a != b {
				near = append(near, distances[a][b])
			}
		}
		slices.Sort(near)
		for _, d := range near[:min(max(len(among)-faulty-2, 1), len(near))] {
			scores[i] += d
		}
	}
	return scores
}
