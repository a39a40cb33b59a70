package sequence

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// SequenceInsert returns a list with one more tensor, before a position or at the end.
//
// https://onnx.ai/onnx/operators/onnx__SequenceInsert.html
var SequenceInsert = &op.Op{
	Name:    "SequenceInsert",
	Since:   []int{11},
	Inputs:  []op.Port{{Name: "input_sequence", Types: op.ASequence}, {Name: "tensor", Types: elem.Any}, {Name: "position", Types: elem.Indices, Optional: true}},
	Outputs: []op.Port{{Name: "output_sequence", Types: op.ASequence}},
	Infer:   inferSequenceInsert,
	Lower:   lowerSequenceInsert,
	Stops:   op.StopLists,
}

func inferSequenceInsert(c *op.Infer) error {
	of, err := sequence(c, 0)
	if err != nil {
		return err
	}
	t, err := c.Tensor(1)
	if err != nil {
		return err
	}
	if of.Kind != ir.Tensor || of.Elem != t.Elem {
		return fmt.Errorf("input %q is %s, want %s like the items", c.In[1].Name, t, of)
	}
	c.Out(0, ir.SequenceOf(op.JoinItems(of, t)))
	return checkPosition(c, 2)
}

func lowerSequenceInsert(l *op.Lowering) error {
	if pos := l.Arg(2); pos != nil {
		l.Call("SequenceInsert", l.Out[0], l.In[0], op.Boxed{Value: l.In[1]}, pos)
		return nil
	}
	l.Call("CopySequence", l.Out[0], l.In[0])
	l.Call("SequenceAppend", l.Out[0], op.Boxed{Value: l.In[1]})
	return nil
}
