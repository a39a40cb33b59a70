package sequence

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// SequenceConstruct returns a list of its inputs.
//
// https://onnx.ai/onnx/operators/onnx__SequenceConstruct.html
var SequenceConstruct = &op.Op{
	Name:    "SequenceConstruct",
	Since:   []int{11},
	Inputs:  []op.Port{{Name: "inputs", Types: elem.Any, Variadic: true, Min: 1}},
	Outputs: []op.Port{{Name: "output_sequence", Types: op.ASequence}},
	Infer:   inferSequenceConstruct,
	Lower: func(l *op.Lowering) error {
		l.Call("SequenceEmpty", l.Out[0], int(l.In[op.X].Type.Elem))
		for _, v := range l.In {
			l.Call("SequenceAppend", l.Out[0], op.Boxed{Value: v})
		}
		return nil
	},
	Stops: op.StopLists,
}

func inferSequenceConstruct(c *op.Infer) error {
	var of ir.Type
	for i := range c.In {
		t, err := c.Tensor(i)
		if err != nil {
			return err
		}
		switch {
		case i == 0:
			of = op.ItemType(t)
		case t.Elem != of.Elem:
			return fmt.Errorf("input %q is %s, want %s like input %q", c.In[i].Name, t.Elem, of.Elem, c.In[op.X].Name)
		case of.Ranked:
			of = op.JoinItems(of, t)
		}
	}
	c.Out(0, ir.SequenceOf(of))
	return nil
}
