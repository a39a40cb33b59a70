package op

import "github.com/bbgen/bbgen/ir"

// Min is the smallest of its inputs, element by element, with numpy's
// broadcasting. NaN wins.
//
// https://onnx.ai/onnx/operators/onnx__Min.html
var Min = &Op{
	Name:    "Min",
	Since:   []int{1, 6, 8, 12, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "data_0", Types: numbers, Variadic: true, Min: 1}},
	Outputs: []Port{{Name: "min", Like: "data_0"}},
	Infer:   foldVariadic(ir.Dim.Min),
	Grad:    minGrad,
	Lower:   binary("Min"),
	Expand:  pairwise("Min"),
	Expands: notTwo,
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  everyNode,
}

// dy goes to the smaller operand, half to each where they are equal
func minGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return pickGrad(b, n, dy[0], "Less")
}
