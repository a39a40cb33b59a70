// Package dataset reads what trainings learn from: MNIST's IDX files, CSV,
// numpy's arrays, folders of images and text, all as one [DataSource]. It knows
// neither models nor losses, sees files through an [fs.FS] and draws nothing
// that a seed does not give: the same seed gives the same batches.
package dataset

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// DataSource is a set of examples, numbered from 0. A program's own type may be
// one, too.
type DataSource interface {
	// Len is how many examples there are.
	Len() int

	// Features and Labels are the types of one example.
	Features() Spec
	Labels() Spec

	// Batch writes the examples of these numbers one behind the other: x and y
	// have the types that Features and Labels give, with an axis in front of
	// len(indices).
	Batch(indices []int, x, y *tensor.Tensor) error
}

// Spec is a dtype and a shape. Sources of this package give float32 or int64.
type Spec struct {
	DType tensor.DType
	Shape []int
}

// String is the type as messages show it: "float32[28 28]".
func (s Spec) String() string { return fmt.Sprintf("%v%v", s.DType, s.Shape) }

// Len is the number of elements.
func (s Spec) Len() int {
	n := 1
	for _, d := range s.Shape {
		n *= d
	}
	return n
}

// Tensor is a tensor for n of them.
func (s Spec) Tensor(n int) *tensor.Tensor {
	return tensor.New(s.DType, append([]int{n}, s.Shape...)...)
}

// check refuses a tensor that is not for n of them.
func (s Spec) check(what string, t *tensor.Tensor, n int) error {
	if t.DType != s.DType || len(t.Shape) != len(s.Shape)+1 || t.Shape[0] != n || !slices.Equal(t.Shape[1:], s.Shape) {
		return fmt.Errorf("dataset: %s is %v, want %v%v", what, t, s.DType, append([]int{n}, s.Shape...))
	}
	return nil
}

// checkBatch refuses tensors and numbers that do not fit a source.
func checkBatch(s DataSource, indices []int, x, y *tensor.Tensor) error {
	if err := s.Features().check("x", x, len(indices)); err != nil {
		return err
	}
	if err := s.Labels().check("y", y, len(indices)); err != nil {
		return err
	}
	n := s.Len()
	for _, i := range indices {
		if i < 0 || i >= n {
			return fmt.Errorf("dataset: example %d of %d", i, n)
		}
	}
	return nil
}

// Set is what a file or a folder gives.
type Set struct {
	Train   DataSource
	Val     DataSource // nil if there is none
	Names   []string   // what the labels stand for, if they are numbers of something
	Classes int        // how many classes labels are numbers of; 0 where the data do not say
	Columns []string   // what features are called; nil where the data do not say

	// Mean and Std are what [Set.Normalize] has been told; nil before.
	Mean, Std []float32
}
