package image

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	AffineGrid,
	CenterCropPad,
	GridSample,
	GridSampleGrad,
	ImageDecoder,
	MaxRoiPool,
	MaxRoiPoolGrad,
	NonMaxSuppression,
	Resize,
	ResizeGrad,
	RoiAlign,
	RoiAlignGrad,
	Upsample,
}
