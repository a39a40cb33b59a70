package op

// IsInf reports which elements are infinite, of the signs that are asked for.
//
// https://onnx.ai/onnx/operators/onnx__IsInf.html
var IsInf = &Op{
	Name:  "IsInf",
	Since: []int{10, 20},
	Attrs: []Attr{
		{Name: "detect_negative", Kind: Int, Default: 1},
		{Name: "detect_positive", Kind: Int, Default: 1},
	},
	Inputs:  []Port{{Name: "X", Types: floatsOr8}},
	Outputs: []Port{{Name: "Y", Types: bools}},
	Infer:   inferBool,
	Grad:    ZeroGrad,
	Lower:   lowerIsInf,
	Widen:   true,
}

func lowerIsInf(l *Lowering) error {
	l.Each("IsInf", l.Out[0], l.In[0], l.Int("detect_positive") != 0, l.Int("detect_negative") != 0)
	return nil
}
