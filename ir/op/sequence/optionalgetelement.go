package sequence

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// OptionalGetElement returns the content of an optional; a tensor or a sequence is its own content.
//
// https://onnx.ai/onnx/operators/onnx__OptionalGetElement.html
var OptionalGetElement = &op.Op{
	Name:    "OptionalGetElement",
	Since:   []int{15, 18, 28},
	Inputs:  []op.Port{{Name: "input"}},
	Outputs: []op.Port{{Name: "output", Types: op.TensorOrSequence}},
	Infer:   inferOptionalGetElement,
	Lower:   lowerOptionalGetElement,
	Expand: func(_ *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
		return []*ir.Value{n.In[op.X]}, nil
	},
	Expands: func(n *ir.Node) bool { return n.In[op.X].Type.Kind != ir.Optional },
	Stops:   op.StopLists,
}

func inferOptionalGetElement(c *op.Infer) error {
	t := c.Type(op.X)
	if !t.Known() {
		return fmt.Errorf("input %q is %s, want an optional", c.In[op.X].Name, t)
	}
	if t.Kind != ir.Optional {
		c.Out(0, t)
		return nil
	}
	of := *t.Of
	switch {
	case of.Kind == ir.Tensor && of.Known():
		of = freshItem(c, of)
	case of.Kind != ir.Sequence:
		return fmt.Errorf("input %q is %s, want an optional tensor of known rank or an optional sequence", c.In[op.X].Name, t)
	}
	c.Out(0, of)
	return nil
}

func lowerOptionalGetElement(l *op.Lowering) error {
	y, x := l.Out[0], l.In[op.X]
	if y.Type.Kind == ir.Sequence {
		l.Call("OptionalGetSequence", y, x)
		return nil
	}
	countAxes(l, y, "OptionalDim", func(axis int) []any { return []any{x, len(op.Shape(y)), axis} })
	l.Call("OptionalGet", y, x, op.Shape(y))
	return nil
}
