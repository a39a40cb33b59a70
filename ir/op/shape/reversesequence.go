package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [ReverseSequence].
const (
	reverseSequenceInput = iota
	reverseSequenceSequenceLens
)

// ReverseSequence reverses the beginning of each sequence of a batch.
//
// https://onnx.ai/onnx/operators/onnx__ReverseSequence.html
var ReverseSequence = &op.Op{
	Name:  "ReverseSequence",
	Since: []int{10, 28},
	Attrs: []op.Attr{
		{Name: "batch_axis", Kind: op.Int, Default: 1},
		{Name: "time_axis", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		reverseSequenceInput:        {Name: "input", Types: elem.Any},
		reverseSequenceSequenceLens: {Name: "sequence_lens", Types: elem.Int64s},
	},
	Outputs: []op.Port{{Name: "Y", Like: "input"}},
	Infer:   inferReverseSequence,
	Grad:    reverseSequenceGrad,
	Lower:   lowerReverseSequence,
}

func inferReverseSequence(c *op.Infer) error {
	x, err := c.Tensor(reverseSequenceInput)
	if err != nil {
		return err
	}
	lens, err := c.Rank(reverseSequenceSequenceLens, 1)
	if err != nil {
		return err
	}
	batch, time := c.Int("batch_axis"), c.Int("time_axis")
	if len(x.Shape) < 2 || batch+time != 1 || batch*time != 0 {
		return fmt.Errorf("batch_axis is %d and time_axis is %d of %s, want 0 and 1 or 1 and 0", batch, time, x)
	}
	if _, err := c.Agree(reverseSequenceSequenceLens, 0, x.Shape[batch]); err != nil || lens.Elem != tensor.Int64 {
		return fmt.Errorf("sequence_lens is %s, want int64[%s]", lens, x.Shape[batch])
	}
	c.Out(0, x)
	return nil
}

func lowerReverseSequence(l *op.Lowering) error {
	shape := op.Shape(l.In[reverseSequenceInput])
	batch := l.Int("batch_axis")
	l.Call("ReverseSequence", l.Out[0], l.In[reverseSequenceInput], l.In[reverseSequenceSequenceLens], shape[batch], shape[1-batch], ir.Size(shape[2:]), batch == 1)
	return nil
}

// dx = dy, reversed again
func reverseSequenceGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("ReverseSequence", n.Attrs, dy[0], n.In[reverseSequenceSequenceLens])}
}
