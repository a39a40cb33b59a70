package peer

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// DataRole is the role of a data source.
const DataRole = "data_source"

// The methods of a data source.
var (
	// DataNextBatch returns a batch and its labels.
	DataNextBatch = call(DataRole, "NextBatch",
		[]op.Port{after}, []op.Port{{Name: "batch"}, {Name: "labels"}},
		gives(said(anyRank(tensor.Float32)), said(anyRank(tensor.Int64)))).Op

	// DataReset restarts the source at the first batch.
	DataReset = call(DataRole, "Reset", []op.Port{after}, []op.Port{{Name: "done", Types: aTrigger}}, gives(triggered)).Op

	// DataOnDataLoaded tells the source that its data are loaded.
	DataOnDataLoaded = call(DataRole, "OnDataLoaded", []op.Port{after}, []op.Port{{Name: "done", Types: aTrigger}}, gives(triggered)).Op

	// DataSamples returns the number of samples.
	DataSamples = call(DataRole, "Samples", []op.Port{after}, []op.Port{{Name: "samples"}}, gives(floatScalar)).Op
)
