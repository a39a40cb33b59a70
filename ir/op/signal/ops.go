package signal

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	BlackmanWindow,
	DFT,
	HammingWindow,
	HannWindow,
	MelWeightMatrix,
	STFT,
}
