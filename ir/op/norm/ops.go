package norm

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	BatchNormGrad,
	BatchNormalization,
	GroupNormLast,
	GroupNormalization,
	InstanceNormalization,
	L2Normalization,
	LRN,
	LayerNormGrad,
	LayerNormalization,
	LpNormalization,
	MeanVarianceNormalization,
	RMSNormalization,
}
