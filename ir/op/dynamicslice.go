package op

// DynamicSlice is what Slice became: its operands are inputs. It was an
// experiment that some files still use.
//
// https://onnx.ai/onnx/operators/onnx__Slice.html
var DynamicSlice = &Op{
	Name:  "DynamicSlice",
	Since: []int{1},
	In:    Arity{3, 4},
	Out:   One,
	Infer: inferSlice,
	Grad:  sliceGrad,
	Lower: lowerSlice,
	Bytes: pickedBytes,
}
