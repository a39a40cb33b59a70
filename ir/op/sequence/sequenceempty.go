package sequence

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SequenceEmpty returns an empty list.
//
// https://onnx.ai/onnx/operators/onnx__SequenceEmpty.html
var SequenceEmpty = &op.Op{
	Name:    "SequenceEmpty",
	Since:   []int{11},
	Attrs:   []op.Attr{{Name: "dtype", Kind: op.Int, Default: 1}},
	Outputs: []op.Port{{Name: "output", Types: op.ASequence}},
	Infer:   inferSequenceEmpty,
	Lower: func(l *op.Lowering) error {
		l.Call("SequenceEmpty", l.Out[0], int(l.Out[0].Type.Of.Elem))
		return nil
	},
	Stops: op.StopLists,
}

func inferSequenceEmpty(c *op.Infer) error {
	n := c.Int("dtype")
	if n < 0 || n > 255 || !tensor.DType(n).Valid() {
		return fmt.Errorf("dtype is %d, want an element type", n)
	}
	c.Out(0, ir.SequenceOf(ir.Type{Elem: tensor.DType(n)}))
	return nil
}
