package reduce

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ReduceMin is the smallest element along axes; false is below true. NaN wins.
//
// https://onnx.ai/onnx/operators/onnx__ReduceMin.html
var ReduceMin = &op.Op{
	Name:    "ReduceMin",
	Since:   []int{1, 11, 12, 13, 18, 20},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(elem.NumbersOrBools),
	Outputs: []op.Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    extremeGrad,
	Lower:   lowerReduceMin,
	Widen:   true,
}

func lowerReduceMin(l *op.Lowering) error {
	if elem.Bools.Has(l.In[reduceData].Type.Elem) {
		return reduce("ReduceAll")(l)
	}
	return reduce("ReduceMinimum")(l)
}
