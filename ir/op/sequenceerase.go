package op

import "github.com/bbgen/bbgen/ir"

// SequenceErase is a list without the item at a position, or without the last.
//
// https://onnx.ai/onnx/operators/onnx__SequenceErase.html
var SequenceErase = &Op{
	Name:    "SequenceErase",
	Since:   []int{11},
	Inputs:  []Port{{Name: "input_sequence", Types: aSequence}, {Name: "position", Types: indices, Optional: true}},
	Outputs: []Port{{Name: "output_sequence", Types: aSequence}},
	Infer:   inferSequenceErase,
	Lower:   lowerSequenceErase,
	Stops:   listsOnly,
}

func inferSequenceErase(c *Infer) error {
	of, err := c.sequence(0)
	if err != nil {
		return err
	}
	c.Out(0, ir.SequenceOf(itemType(of)))
	return c.checkPosition(1)
}

func lowerSequenceErase(l *Lowering) error {
	if pos := l.Arg(1); pos != nil {
		l.Call("SequenceErase", l.Out[0], l.In[0], pos)
		return nil
	}
	l.Call("SequencePop", l.Out[0], l.In[0])
	return nil
}
