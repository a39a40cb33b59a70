package op

import "github.com/bbgen/bbgen/runtime/tensor"

// The methods of a data source.
var (
	// DataNextBatch is a batch and its labels.
	DataNextBatch = call("data_source", "NextBatch",
		[]Port{after}, []Port{{Name: "batch"}, {Name: "labels"}},
		gives(said(anyRank(tensor.Float32)), said(anyRank(tensor.Int64)))).Op

	// DataReset begins from the first batch.
	DataReset = call("data_source", "Reset", []Port{after}, []Port{{Name: "done", Types: aTrigger}}, gives(triggered)).Op

	// DataOnDataLoaded tells the source that its data are there.
	DataOnDataLoaded = call("data_source", "OnDataLoaded", []Port{after}, []Port{{Name: "done", Types: aTrigger}}, gives(triggered)).Op

	// DataSamples is how many samples there are.
	DataSamples = call("data_source", "Samples", []Port{after}, []Port{{Name: "samples"}}, gives(floatScalar)).Op
)
