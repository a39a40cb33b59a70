package sequence

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// SequenceErase returns a list without the item at a position, or without the last.
//
// https://onnx.ai/onnx/operators/onnx__SequenceErase.html
var SequenceErase = &op.Op{
	Name:  "SequenceErase",
	Since: []int{11},
	Inputs: []op.Port{
		atInputSequence: {Name: "input_sequence", Types: op.ASequence},
		atPosition:      {Name: "position", Types: elem.Indices, Optional: true},
	},
	Outputs: []op.Port{{Name: "output_sequence", Types: op.ASequence}},
	Infer:   inferSequenceErase,
	Lower:   lowerSequenceErase,
	Stops:   op.StopLists,
}

func inferSequenceErase(c *op.Infer) error {
	of, err := sequence(c, 0)
	if err != nil {
		return err
	}
	c.Out(0, ir.SequenceOf(op.ItemType(of)))
	return checkPosition(c, 1)
}

func lowerSequenceErase(l *op.Lowering) error {
	if pos := l.Arg(atPosition); pos != nil {
		l.Call("SequenceErase", l.Out[0], l.In[atInputSequence], pos)
		return nil
	}
	l.Call("SequencePop", l.Out[0], l.In[atInputSequence])
	return nil
}
