package op

import "github.com/bbgen/bbgen/ir"

// Max is the largest of its inputs, element by element, with numpy's
// broadcasting. NaN wins.
//
// https://onnx.ai/onnx/operators/onnx__Max.html
var Max = &Op{
	Name:    "Max",
	Since:   []int{1, 6, 8, 12, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "data_0", Types: numbers, Variadic: true, Min: 1}},
	Outputs: []Port{{Name: "max", Like: "data_0"}},
	Infer:   foldVariadic(ir.Dim.Max),
	Grad:    maxGrad,
	Lower:   binary("Max"),
	Expand:  pairwise("Max"),
	Expands: notTwo,
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  everyNode,
}

// dy goes to the larger operand, half to each where they are equal
func maxGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return pickGrad(b, n, dy[0], "Greater")
}
