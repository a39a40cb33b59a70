package op

// Sum is the sum of its inputs with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Sum.html
var Sum = &Op{
	Name:    "Sum",
	Since:   []int{1, 6, 8, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "data_0", Types: floats, Variadic: true, Min: 1}},
	Outputs: []Port{{Name: "sum", Like: "data_0"}},
	Infer:   inferBinary,
	Grad:    sumGrad,
	Lower:   binary("Add"),
	Expand:  pairwise("Add"),
	Expands: notTwo,
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  everyNode,
}
