package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Min is the smallest of its inputs, element by element, with numpy's
// broadcasting. NaN wins.
//
// https://onnx.ai/onnx/operators/onnx__Min.html
var Min = &op.Op{
	Name:    "Min",
	Since:   []int{1, 6, 8, 12, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "data_0", Types: elem.Numbers, Variadic: true, Min: 1}},
	Outputs: []op.Port{{Name: "min", Like: "data_0"}},
	Infer:   foldVariadic(ir.Dim.Min),
	Grad:    minGrad,
	Lower:   op.Binary("Min"),
	Expand:  pairwise("Min"),
	Expands: notTwo,
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  op.Always,
}

// dy goes to the smaller operand, half to each where they are equal
func minGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return pickGrad(b, n, dy[0], "Less")
}
