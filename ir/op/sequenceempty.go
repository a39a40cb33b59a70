package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SequenceEmpty is a list of nothing.
//
// https://onnx.ai/onnx/operators/onnx__SequenceEmpty.html
var SequenceEmpty = &Op{
	Name:    "SequenceEmpty",
	Since:   []int{11},
	Attrs:   []Attr{{Name: "dtype", Kind: Int, Default: 1}},
	Outputs: []Port{{Name: "output", Types: aSequence}},
	Infer:   inferSequenceEmpty,
	Lower: func(l *Lowering) error {
		l.Call("SequenceEmpty", l.Out[0], int(l.Out[0].Type.Of.Elem))
		return nil
	},
	Stops: listsOnly,
}

func inferSequenceEmpty(c *Infer) error {
	n := c.Int("dtype")
	if n < 0 || n > 255 || !tensor.DType(n).Valid() {
		return fmt.Errorf("dtype is %d, want an element type", n)
	}
	c.Out(0, ir.SequenceOf(ir.Type{Elem: tensor.DType(n)}))
	return nil
}
