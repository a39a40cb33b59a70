package ml

import "github.com/bbgen/bbgen/ir/op"

// Binarizer is 1 above a threshold and 0 elsewhere.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_Binarizer.html
var Binarizer = &op.Op{
	Name:    "Binarizer",
	Domain:  domain,
	Since:   []int{1},
	Attrs:   []op.Attr{{Name: "threshold", Kind: op.Float, Default: 0.0}},
	Inputs:  []op.Port{{Name: "X", Types: numbers}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Lower: func(l *op.Lowering) error {
		l.Call("Binarize", l.Out[0], l.In[op.X], l.Float("threshold"))
		return nil
	},
	InPlace: true,
	Stops:   op.StopStepwise,
}
