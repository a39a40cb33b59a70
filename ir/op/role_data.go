package op

import "github.com/bbgen/bbgen/runtime/tensor"

// The methods of a data source.
var (
	// DataNextBatch is a batch and its labels.
	DataNextBatch = call("data_source", "NextBatch", Arity{0, Any}, Two, takes(triggers, said(anyRank(tensor.Float32)), said(anyRank(tensor.Int64))))

	// DataReset begins from the first batch.
	DataReset = call("data_source", "Reset", Arity{0, Any}, One, takes(triggers, triggered))

	// DataOnDataLoaded tells the source that its data are there.
	DataOnDataLoaded = call("data_source", "OnDataLoaded", Arity{0, Any}, One, takes(triggers, triggered))

	// DataSamples is how many samples there are.
	DataSamples = call("data_source", "Samples", Arity{0, Any}, One, takes(triggers, floatScalar))
)
