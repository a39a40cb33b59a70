package sequence

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Optional wraps its input, or nothing.
//
// https://onnx.ai/onnx/operators/onnx__Optional.html
var Optional = &op.Op{
	Name:    "Optional",
	Since:   []int{15, 28},
	Attrs:   []op.Attr{{Name: "type", Kind: op.TypeProto}},
	Inputs:  []op.Port{{Name: "input", Types: op.TensorOrSequence, Optional: true}},
	Outputs: []op.Port{{Name: "output", Types: op.AnOptional}},
	Infer:   inferOptional,
	Lower:   lowerOptional,
	Stops:   op.StopLists,
}

func inferOptional(c *op.Infer) error {
	v := c.Arg(op.X)
	if v == nil {
		t, ok := c.Attrs.Lookup("type").(ir.Type)
		if !ok {
			return fmt.Errorf("has neither an input nor a type")
		}
		c.Out(0, ir.OptionalOf(op.ItemType(t)))
		return nil
	}
	if !v.Type.Known() || v.Type.Kind != ir.Tensor && v.Type.Kind != ir.Sequence {
		return fmt.Errorf("input %q is %s, want a tensor or a sequence", v.Name, v.Type)
	}
	c.Out(0, ir.OptionalOf(op.ItemType(v.Type)))
	return nil
}

func lowerOptional(l *op.Lowering) error {
	switch v := l.Arg(op.X); {
	case v == nil:
		l.Call("OptionalNone", l.Out[0])
	case v.Type.Kind == ir.Sequence:
		l.Call("OptionalSequence", l.Out[0], v)
	default:
		l.Call("OptionalTensor", l.Out[0], op.Boxed{Value: v})
	}
	return nil
}
