package peer

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The methods of a data source.
var (
	// DataNextBatch is a batch and its labels.
	DataNextBatch = call("data_source", "NextBatch",
		[]op.Port{after}, []op.Port{{Name: "batch"}, {Name: "labels"}},
		gives(said(anyRank(tensor.Float32)), said(anyRank(tensor.Int64)))).Op

	// DataReset begins from the first batch.
	DataReset = call("data_source", "Reset", []op.Port{after}, []op.Port{{Name: "done", Types: aTrigger}}, gives(triggered)).Op

	// DataOnDataLoaded tells the source that its data are there.
	DataOnDataLoaded = call("data_source", "OnDataLoaded", []op.Port{after}, []op.Port{{Name: "done", Types: aTrigger}}, gives(triggered)).Op

	// DataSamples is how many samples there are.
	DataSamples = call("data_source", "Samples", []op.Port{after}, []op.Port{{Name: "samples"}}, gives(floatScalar)).Op
)
