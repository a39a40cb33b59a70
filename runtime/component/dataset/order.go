package dataset

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Order returns the order of n examples in an epoch: a permutation that depends only on its arguments.
func Order(seed uint64, epoch, n int) []int {
	order := make([]int, n)
	r := random(seed, uint64(epoch))
	for i := range order {
		j := below(r, i+1)
		order[i] = order[j]
		order[j] = i
	}
	return order
}

// random returns a generator for the b-th of many uses of a seed; the states for neighboring b differ in many
// bits.
func random(seed, b uint64) *rand.PCG { return rand.NewPCG(seed, (b+1)*0x9e3779b97f4a7c15) }

// below returns a number from 0 to n-1. It does not use package rand, so that a seed gives the same order in
// all versions of Go.
func below(r *rand.PCG, n int) int {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

// unit returns a number from 0 to 1, exclusive.
func unit(r *rand.PCG) float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// sequential is a source whose order has a meaning: neighboring examples are similar.
type sequential interface{ sequential() }

// Split holds back a part of a source for validation: randomly chosen examples, or the last ones of a
// sequential source such as a text. At least one example remains on each side; a source of one is not split.
func Split(s DataSource, part float64, seed uint64) (train, val DataSource) {
	n := s.Len()
	k := min(max(int(float64(n)*part), 1), n-1)
	if part <= 0 || k < 1 {
		return s, nil
	}
	if _, ok := s.(sequential); ok {
		return &subset{DataSource: s, first: 0, n: n - k}, &subset{DataSource: s, first: n - k, n: k}
	}
	order := Order(seed, -1, n) // no epoch's
	return &subset{DataSource: s, pick: order[k:], n: n - k}, &subset{DataSource: s, pick: order[:k], n: k}
}

// Fold divides a source into k parts of randomly chosen examples, or of consecutive ones if the source is sequential. It
// holds back the part with index i, and returns the others and it. There must be at least k examples, and k at least 2.
func Fold(s DataSource, i, k int, seed uint64) (train, val DataSource) {
	n := s.Len()
	order := Order(seed, -1, n) // no epoch's
	if _, ok := s.(sequential); ok {
		slices.Sort(order)
	}
	first, end := i*n/k, (i+1)*n/k
	rest := slices.Concat(order[:first], order[end:])
	return &subset{DataSource: s, pick: rest, n: len(rest)}, &subset{DataSource: s, pick: order[first:end], n: end - first}
}

// subset is a part of a source: picked examples, or n from the first on.
type subset struct {
	DataSource
	pick  []int
	first int
	n     int
}

func (s *subset) Len() int { return s.n }

func (s *subset) Batch(indices []int, x, y *tensor.Tensor) error {
	inner, err := s.inner(indices)
	if err != nil {
		return err
	}
	return s.DataSource.Batch(inner, x, y)
}

// inner returns the numbers of examples in the whole source.
func (s *subset) inner(indices []int) ([]int, error) {
	inner := make([]int, len(indices))
	for k, i := range indices {
		if i < 0 || i >= s.n {
			return nil, fmt.Errorf("dataset: example %d of %d", i, s.n)
		}
		if inner[k] = s.first + i; s.pick != nil {
			inner[k] = s.pick[i]
		}
	}
	return inner, nil
}
