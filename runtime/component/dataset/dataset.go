// Package dataset reads training data: MNIST's IDX files, CSV, numpy's arrays, folders of images and text, all
// as a [DataSource]. It knows neither models nor losses, reads files through an [fs.FS], and all randomness
// follows from seeds: the same seed gives the same batches.
package dataset

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// A DataSource is a set of examples, numbered from 0. Programs may have types of their own.
type DataSource interface {
	// Len returns the number of examples.
	Len() int

	// Features and Labels return the types of one example.
	Features() Spec
	Labels() Spec

	// Batch writes the examples with these numbers to x and y, which have the types of Features and Labels with
	// a leading axis of len(indices).
	Batch(indices []int, x, y *tensor.Tensor) error
}

// Spec is a dtype and a shape. Sources of this package give float32 or int64.
type Spec struct {
	DType tensor.DType
	Shape []int
}

// String is the type as messages show it: "float32[28,28]".
func (s Spec) String() string { return tensor.TypeText(s.DType, s.Shape) }

// Len returns the number of elements.
func (s Spec) Len() int {
	n := 1
	for _, d := range s.Shape {
		n *= d
	}
	return n
}

// Tensor returns a tensor for n examples.
func (s Spec) Tensor(n int) *tensor.Tensor {
	return tensor.New(s.DType, append([]int{n}, s.Shape...)...)
}

// check returns an error unless a tensor is for n examples.
func (s Spec) check(what string, t *tensor.Tensor, n int) error {
	if t.DType != s.DType || len(t.Shape) != len(s.Shape)+1 || t.Shape[0] != n || !slices.Equal(t.Shape[1:], s.Shape) {
		return fmt.Errorf("dataset: %s is %v, want %s", what, t, tensor.TypeText(s.DType, append([]int{n}, s.Shape...)))
	}
	return nil
}

// checkBatch returns an error if tensors or indices do not fit a source.
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

// Set is the content of a file or a folder.
type Set struct {
	Train   DataSource
	Val     DataSource // nil if there is none
	Names   []string   // the names of classes, if labels are class numbers
	Classes int        // the number of classes; 0 if unknown
	Columns []string   // the names of features; nil if unknown
	Notes

	// Mean and Std are the arguments of [Set.Normalize]; nil before.
	Mean, Std []float32
}
