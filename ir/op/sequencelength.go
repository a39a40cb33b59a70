package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SequenceLength is the number of items of a list.
//
// https://onnx.ai/onnx/operators/onnx__SequenceLength.html
var SequenceLength = &Op{
	Name:    "SequenceLength",
	Since:   []int{11},
	Inputs:  []Port{{Name: "input_sequence", Types: aSequence}},
	Outputs: []Port{{Name: "length", Types: int64s}},
	Infer:   inferSequenceLength,
	Lower:   func(l *Lowering) error { l.Call("SequenceLength", l.Out[0], l.In[0]); return nil },
	Stops:   toIntegers,
}

func inferSequenceLength(c *Infer) error {
	if _, err := c.sequence(0); err != nil {
		return err
	}
	c.OutTensor(0, tensor.Int64)
	if items, ok := listed(c.In[0]); ok {
		c.Know(0, []ir.Dim{ir.C(len(items))})
	}
	return nil
}
