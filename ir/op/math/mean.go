package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Mean is the mean of its inputs with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Mean.html
var Mean = &op.Op{
	Name:    "Mean",
	Since:   []int{1, 6, 8, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "data_0", Types: elem.Floats, Variadic: true, Min: 1}},
	Outputs: []op.Port{{Name: "mean", Like: "data_0"}},
	Infer:   op.InferBinary,
	Expand:  expandMean,

	Pointwise: op.Always,
}

func expandMean(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if len(n.In) == 1 {
		return n.In, nil
	}
	if op.Small(n) {
		return op.Widened(b, n), nil
	}
	sum := b.Op("Sum", n.In...)
	return []*ir.Value{b.Op("Div", sum, b.Scalar(sum.Type.Elem, float64(len(n.In))))}, nil
}
