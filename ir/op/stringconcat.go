package op

// StringConcat joins strings element by element, with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__StringConcat.html
var StringConcat = &Op{
	Name:    "StringConcat",
	Since:   []int{20},
	Inputs:  []Port{{Name: "X", Types: strs}, {Name: "Y", Like: "X"}},
	Outputs: []Port{{Name: "Z", Like: "X"}},
	Infer: func(c *Infer) error {
		if err := c.CheckElems(0, strs); err != nil {
			return err
		}
		return inferBinary(c)
	},
	Lower: binary("StringConcat"),
	Stops: onStrings,
}
