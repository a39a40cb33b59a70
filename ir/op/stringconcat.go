package op

import "github.com/bbgen/bbgen/runtime/tensor"

// StringConcat joins strings element by element, with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__StringConcat.html
var StringConcat = &Op{
	Name:    "StringConcat",
	Since:   []int{20},
	Inputs:  []Port{{Name: "X", Types: strs}, {Name: "Y", Like: "X"}},
	Outputs: []Port{{Name: "Z", Like: "X"}},
	Infer: func(c *Infer) error {
		if err := strs.check(c, 0); err != nil {
			return err
		}
		return inferBinary(c)
	},
	Lower: binary("StringConcat"),
	Stops: onStrings,
}

// strs is the element type of text.
var strs = newElems("string", tensor.String)
