package op

// DynamicSlice is what Slice became: its operands are inputs. It was an
// experiment that some files still use.
//
// https://onnx.ai/onnx/operators/onnx__Slice.html
var DynamicSlice = &Op{
	Name:  "DynamicSlice",
	Since: []int{1},
	Inputs: []Port{
		{Name: "data", Types: anyElem},
		{Name: "starts", Types: indices},
		{Name: "ends", Like: "starts"},
		{Name: "axes", Like: "starts", Optional: true},
	},
	Outputs: []Port{{Name: "output", Like: "data"}},
	Infer:   inferSlice,
	Grad:    sliceGrad,
	Lower:   lowerSlice,
	Bytes:   pickedBytes,
}
