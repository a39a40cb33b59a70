package peer

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The methods of an index of vectors.
var (
	// IndexAdd adds a vector and returns its number.
	IndexAdd = call("index", "Add",
		[]op.Port{{Name: "vector", Types: aTensor}}, []op.Port{{Name: "number"}},
		gives(giveScalar(tensor.Uint64))).Op

	// IndexSearch returns the numbers and distances of the k nearest vectors, the nearest first.
	IndexSearch = call("index", "Search",
		[]op.Port{{Name: "query", Types: aTensor}}, []op.Port{{Name: "numbers"}, {Name: "distances", Optional: true}},
		gives(found(tensor.Uint64), found(tensor.Float32)), op.Attr{Name: "k", Kind: op.Int, Arg: true}).Op

	// IndexRemove removes a vector.
	IndexRemove = call("index", "Remove",
		[]op.Port{{Name: "number", Types: rank0(tensor.Uint64)}}, []op.Port{{Name: "done", Types: aTrigger}},
		gives(triggered)).Op

	// IndexTrain fits the index to samples.
	IndexTrain = call("index", "Train",
		[]op.Port{{Name: "samples", Types: aTensor}}, []op.Port{{Name: "done", Types: aTrigger}},
		gives(triggered)).Op
)

// found returns a vector with an element for each vector found by a search.
func found(elem tensor.DType) give {
	return func(c *op.Infer, _ int) (ir.Type, error) { return ir.TensorOf(elem, c.FreshAt(0, "found")), nil }
}
