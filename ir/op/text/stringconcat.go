package text

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [StringConcat].
const (
	stringConcatX = iota
	stringConcatY
)

// StringConcat joins strings element by element, with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__StringConcat.html
var StringConcat = &op.Op{
	Name:    "StringConcat",
	Since:   []int{20},
	Inputs:  []op.Port{stringConcatX: {Name: "X", Types: elem.Strings}, stringConcatY: {Name: "Y", Like: "X"}},
	Outputs: []op.Port{{Name: "Z", Like: "X"}},
	Infer: func(c *op.Infer) error {
		if err := c.CheckElems(stringConcatX, elem.Strings); err != nil {
			return err
		}
		return op.InferBinary(c)
	},
	Lower: op.Binary("StringConcat"),
	Stops: op.StopStrings,
}
