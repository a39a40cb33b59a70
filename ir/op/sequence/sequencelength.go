package sequence

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SequenceLength returns the number of items of a list.
//
// https://onnx.ai/onnx/operators/onnx__SequenceLength.html
var SequenceLength = &op.Op{
	Name:    "SequenceLength",
	Since:   []int{11},
	Inputs:  []op.Port{{Name: "input_sequence", Types: op.ASequence}},
	Outputs: []op.Port{{Name: "length", Types: elem.Int64s}},
	Infer:   inferSequenceLength,
	Lower:   func(l *op.Lowering) error { l.Call("SequenceLength", l.Out[0], l.In[op.X]); return nil },
	Stops:   op.StopToIntegers,
}

func inferSequenceLength(c *op.Infer) error {
	if _, err := sequence(c, 0); err != nil {
		return err
	}
	c.OutTensor(0, tensor.Int64)
	if items, ok := listed(c.In[op.X]); ok {
		c.Know(0, []ir.Dim{ir.C(len(items))})
	}
	return nil
}
