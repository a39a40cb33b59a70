package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [BitShift].
const (
	bitShiftX = iota
	bitShiftY
)

// BitShift shifts the bits of a by b, to the left or the right as direction
// says. Signed numbers keep their sign.
//
// https://onnx.ai/onnx/operators/onnx__BitShift.html
var BitShift = &op.Op{
	Name:    "BitShift",
	Since:   []int{11, 28},
	Attrs:   []op.Attr{{Name: "direction", Kind: op.String, Values: []string{"LEFT", "RIGHT"}, Required: true}},
	Inputs:  []op.Port{bitShiftX: {Name: "X", Types: elem.Integers}, bitShiftY: {Name: "Y", Like: "X"}},
	Outputs: []op.Port{{Name: "Z", Like: "X"}},
	Infer:   op.InferBinary,
	Lower:   lowerBitShift,
	InPlace: true,
	Stops:   op.StopFromIntegers,

	Broadcasts: true,
}

func lowerBitShift(l *op.Lowering) error {
	kernel := "ShiftLeft"
	if l.Str("direction") == "RIGHT" {
		kernel = "ShiftRight"
	}
	l.Binary(kernel, l.Out[0], l.In[bitShiftX], l.In[bitShiftY])
	return nil
}
