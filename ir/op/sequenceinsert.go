package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// SequenceInsert is a list with one more tensor: before a position, or at the
// end.
//
// https://onnx.ai/onnx/operators/onnx__SequenceInsert.html
var SequenceInsert = &Op{
	Name:    "SequenceInsert",
	Since:   []int{11},
	Inputs:  []Port{{Name: "input_sequence", Types: aSequence}, {Name: "tensor", Types: anyElem}, {Name: "position", Types: indices, Optional: true}},
	Outputs: []Port{{Name: "output_sequence", Types: aSequence}},
	Infer:   inferSequenceInsert,
	Lower:   lowerSequenceInsert,
	Stops:   listsOnly,
}

func inferSequenceInsert(c *Infer) error {
	of, err := c.sequence(0)
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
	c.Out(0, ir.SequenceOf(joinItems(of, t)))
	return c.checkPosition(2)
}

func lowerSequenceInsert(l *Lowering) error {
	if pos := l.Arg(2); pos != nil {
		l.Call("SequenceInsert", l.Out[0], l.In[0], Boxed{l.In[1]}, pos)
		return nil
	}
	l.Call("CopySequence", l.Out[0], l.In[0])
	l.Call("SequenceAppend", l.Out[0], Boxed{l.In[1]})
	return nil
}
