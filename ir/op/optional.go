package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// Optional holds its input, or nothing.
//
// https://onnx.ai/onnx/operators/onnx__Optional.html
var Optional = &Op{
	Name:    "Optional",
	Since:   []int{15, 28},
	Attrs:   []Attr{{Name: "type", Kind: TypeProto}},
	Inputs:  []Port{{Name: "input", Types: tensorOrSequence, Optional: true}},
	Outputs: []Port{{Name: "output", Types: anOptional}},
	Infer:   inferOptional,
	Lower:   lowerOptional,
	Stops:   listsOnly,
}

func inferOptional(c *Infer) error {
	v := c.Arg(0)
	if v == nil {
		t, ok := c.Attrs.Lookup("type").(ir.Type)
		if !ok {
			return fmt.Errorf("has neither an input nor a type")
		}
		c.Out(0, ir.OptionalOf(itemType(t)))
		return nil
	}
	if !v.Type.Known() || v.Type.Kind != ir.Tensor && v.Type.Kind != ir.Sequence {
		return fmt.Errorf("input %q is %s, want a tensor or a sequence", v.Name, v.Type)
	}
	c.Out(0, ir.OptionalOf(itemType(v.Type)))
	return nil
}

func lowerOptional(l *Lowering) error {
	switch v := l.Arg(0); {
	case v == nil:
		l.Call("OptionalNone", l.Out[0])
	case v.Type.Kind == ir.Sequence:
		l.Call("OptionalSequence", l.Out[0], v)
	default:
		l.Call("OptionalTensor", l.Out[0], Boxed{v})
	}
	return nil
}
