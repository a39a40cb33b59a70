package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The methods of an index of vectors.
var (
	// IndexAdd adds a vector and returns its number.
	IndexAdd = call("index", "Add", One, One, takes(tensors, giveScalar(tensor.Uint64)))

	// IndexSearch finds the k nearest vectors: their numbers and distances, the
	// nearest first.
	IndexSearch = call("index", "Search", One, Arity{1, 2}, takes(tensors, found(tensor.Uint64), found(tensor.Float32)), "k")

	// IndexRemove takes a vector out.
	IndexRemove = call("index", "Remove", One, One, takes([]want{rank0(tensor.Uint64)}, triggered))

	// IndexTrain fits the index to samples.
	IndexTrain = call("index", "Train", One, One, takes(tensors, triggered))
)

// found is a vector with an element for each vector that a search found.
func found(elem tensor.DType) give {
	return func(c *Infer, _ int) (ir.Type, error) { return ir.TensorOf(elem, c.numbered(0, "found")), nil }
}
