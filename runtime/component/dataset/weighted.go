package dataset

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Draws draws examples at random, with replacement, each with a probability proportional to its weight.
type Draws struct{ sums []float64 } // of the weights up to each example

// NewDraws returns draws by the weight of each example.
func NewDraws(weights []float32) (*Draws, error) {
	d := &Draws{sums: make([]float64, len(weights))}
	sum := 0.0
	for i, w := range weights {
		if !(w >= 0) || w-w != 0 {
			return nil, fmt.Errorf("the weight of example %d is %g, want a finite number of at least 0", i, w)
		}
		sum += float64(w)
		d.sums[i] = sum
	}
	if sum == 0 {
		return nil, errors.New("the weights of all examples are 0, want one above 0 at least")
	}
	return d, nil
}

// Order returns as many drawn examples as there are, for one epoch. It depends only on the weights and its arguments.
func (d *Draws) Order(seed uint64, epoch int) []int {
	order := make([]int, len(d.sums))
	total := d.sums[len(d.sums)-1]
	r := random(seed, uint64(epoch))
	for i := range order {
		at := unit(r) * total
		order[i] = sort.Search(len(d.sums)-1, func(k int) bool { return d.sums[k] > at })
	}
	return order
}

// readAtOnce is the number of examples that are read at a time.
const readAtOnce = 256

// maxBalanced is the maximum number of classes that are balanced.
const maxBalanced = 1 << 16

// BalancedWeights returns weights with which all classes are equally frequent.
func BalancedWeights(s DataSource) ([]float32, error) {
	if n := s.Labels().Len(); n != 1 {
		return nil, fmt.Errorf("labels are %v, want one class for each example", s.Labels())
	}
	labels, err := labelsOf(s)
	if err != nil {
		return nil, err
	}
	counts := map[float64]int{}
	for i, l := range labels {
		if math.IsNaN(l) { // none equals another one, and all would have an infinite weight
			return nil, fmt.Errorf("the label of example %d is NaN, want a class", i)
		}
		if counts[l]++; len(counts) > maxBalanced {
			return nil, fmt.Errorf("labels have more than %d values, want classes", maxBalanced)
		}
	}
	weights := make([]float32, len(labels))
	for i, l := range labels {
		weights[i] = 1 / float32(counts[l])
	}
	return weights, nil
}

// labelsOf returns the label of each example.
func labelsOf(s DataSource) (labels []float64, err error) {
	if sub, ok := s.(*subset); ok {
		all, err := labelsOf(sub.DataSource)
		if err != nil {
			return nil, err
		}
		for i := range sub.n {
			inner, err := sub.inner([]int{i})
			if err != nil {
				return nil, err
			}
			labels = append(labels, all[inner[0]])
		}
		return labels, nil
	}
	if _, ok := s.(labeled); ok {
		passLabels(s, func(some *tensor.Tensor) { labels = appendNumbers(labels, some) })
		if len(labels) == s.Len() {
			return labels, nil
		}
		labels = nil // it cannot tell them without the features
	}
	err = inParts(s.Len(), func(indices []int) error {
		x, y := s.Features().Tensor(len(indices)), s.Labels().Tensor(len(indices))
		if err := s.Batch(indices, x, y); err != nil {
			return err
		}
		labels = appendNumbers(labels, y)
		return nil
	})
	return labels, err
}

func appendNumbers(list []float64, t *tensor.Tensor) []float64 {
	switch d := t.Data.(type) {
	case []int64:
		for _, v := range d {
			list = append(list, float64(v))
		}
	case []float32:
		for _, v := range d {
			list = append(list, float64(v))
		}
	}
	return list
}

// inParts calls f with the numbers of some examples after the other.
func inParts(n int, f func(indices []int) error) error {
	for from := 0; from < n; from += readAtOnce {
		var indices []int
		for i := from; i < min(from+readAtOnce, n); i++ {
			indices = append(indices, i)
		}
		if err := f(indices); err != nil {
			return err
		}
	}
	return nil
}

// TakeWeights returns the last of the further columns of a source, a weight for each example, and the source without it.
func TakeWeights(s DataSource) (weights []float32, rest DataSource, err error) {
	specs := More(s)
	if len(specs) == 0 {
		return nil, nil, errors.New("there is no column of weights beside features and labels")
	}
	if last := specs[len(specs)-1]; last.Len() != 1 || last.DType != tensor.Float32 {
		return nil, nil, fmt.Errorf("weights are %v, want one float32 for each example", last)
	}
	err = inParts(s.Len(), func(indices []int) error {
		var columns []*tensor.Tensor
		for _, c := range specs {
			columns = append(columns, c.Tensor(len(indices)))
		}
		if err := BatchMore(s, indices, columns); err != nil {
			return err
		}
		weights = append(weights, tensor.Data[float32](columns[len(columns)-1])...)
		return nil
	})
	return weights, &narrower{s, specs}, err
}

// narrower is a source without its last column.
type narrower struct {
	DataSource
	specs []Spec // of all columns
}

func (s *narrower) More() []Spec { return s.specs[:len(s.specs)-1] }

func (s *narrower) BatchMore(indices []int, to []*tensor.Tensor) error {
	if len(to) == 0 {
		return nil
	}
	last := s.specs[len(s.specs)-1].Tensor(len(indices))
	return BatchMore(s.DataSource, indices, append(to[:len(to):len(to)], last))
}

func (s *narrower) eachLabels(f func(*tensor.Tensor)) { passLabels(s.DataSource, f) }
