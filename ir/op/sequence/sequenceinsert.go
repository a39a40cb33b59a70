package sequence

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [SequenceInsert].
const (
	insertInputSequence = iota
	insertTensor
	insertPosition
)

// SequenceInsert returns a list with one more tensor, before a position or at the end.
//
// https://onnx.ai/onnx/operators/onnx__SequenceInsert.html
var SequenceInsert = &op.Op{
	Name:  "SequenceInsert",
	Since: []int{11},
	Inputs: []op.Port{
		insertInputSequence: {Name: "input_sequence", Types: op.ASequence},
		insertTensor:        {Name: "tensor", Types: elem.Any},
		insertPosition:      {Name: "position", Types: elem.Indices, Optional: true},
	},
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
	t, err := c.Tensor(insertTensor)
	if err != nil {
		return err
	}
	if of.Kind != ir.Tensor || of.Elem != t.Elem {
		return fmt.Errorf("input %q is %s, want %s like the items", c.In[insertTensor].Name, t, of)
	}
	c.Out(0, ir.SequenceOf(op.JoinItems(of, t)))
	return checkPosition(c, 2)
}

func lowerSequenceInsert(l *op.Lowering) error {
	if pos := l.Arg(insertPosition); pos != nil {
		l.Call("SequenceInsert", l.Out[0], l.In[insertInputSequence], op.Boxed{Value: l.In[insertTensor]}, pos)
		return nil
	}
	l.Call("CopySequence", l.Out[0], l.In[insertInputSequence])
	l.Call("SequenceAppend", l.Out[0], op.Boxed{Value: l.In[insertTensor]})
	return nil
}
