package op

// Binarizer is 1 above a threshold and 0 elsewhere.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_Binarizer.html
var Binarizer = &Op{
	Name:    "Binarizer",
	Domain:  mlDomain,
	Since:   []int{1},
	Attrs:   []Attr{{Name: "threshold", Kind: Float, Default: 0.0}},
	Inputs:  []Port{{Name: "X", Types: mlNumbers}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Lower: func(l *Lowering) error {
		l.Call("Binarize", l.Out[0], l.In[0], l.Float("threshold"))
		return nil
	},
	InPlace: true,
	Stops:   stepwise,
}
