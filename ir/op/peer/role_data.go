package peer

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The methods of a data source.
var (
	// DataNextBatch returns a batch and its labels.
	DataNextBatch = call("data_source", "NextBatch",
		[]op.Port{after}, []op.Port{{Name: "batch"}, {Name: "labels"}},
		gives(said(anyRank(tensor.Float32)), said(anyRank(tensor.Int64)))).Op

	// DataReset restarts the source at the first batch.
	DataReset = call("data_source", "Reset", []op.Port{after}, []op.Port{{Name: "done", Types: aTrigger}}, gives(triggered)).Op

	// DataOnDataLoaded tells the source that its data are loaded.
	DataOnDataLoaded = call("data_source", "OnDataLoaded", []op.Port{after}, []op.Port{{Name: "done", Types: aTrigger}}, gives(triggered)).Op

	// DataSamples returns the number of samples.
	DataSamples = call("data_source", "Samples", []op.Port{after}, []op.Port{{Name: "samples"}}, gives(floatScalar)).Op
)
