package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// SequenceConstruct makes a list of its inputs.
//
// https://onnx.ai/onnx/operators/onnx__SequenceConstruct.html
var SequenceConstruct = &Op{
	Name:    "SequenceConstruct",
	Since:   []int{11},
	Inputs:  []Port{{Name: "inputs", Types: anyElem, Variadic: true, Min: 1}},
	Outputs: []Port{{Name: "output_sequence", Types: aSequence}},
	Infer:   inferSequenceConstruct,
	Lower: func(l *Lowering) error {
		l.Call("SequenceEmpty", l.Out[0], int(l.In[0].Type.Elem))
		for _, v := range l.In {
			l.Call("SequenceAppend", l.Out[0], Boxed{v})
		}
		return nil
	},
	Stops: listsOnly,
}

func inferSequenceConstruct(c *Infer) error {
	var of ir.Type
	for i := range c.In {
		t, err := c.Tensor(i)
		if err != nil {
			return err
		}
		switch {
		case i == 0:
			of = itemType(t)
		case t.Elem != of.Elem:
			return fmt.Errorf("input %q is %s, want %s like input %q", c.In[i].Name, t.Elem, of.Elem, c.In[0].Name)
		case of.Ranked:
			of = joinItems(of, t)
		}
	}
	c.Out(0, ir.SequenceOf(of))
	return nil
}
