package sequence

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [SplitToSequence].
const (
	splitToInput = iota
	splitToSplit
)

// SplitToSequence splits a tensor along an axis into a list: into slices, into pieces of one size, or into
// pieces of given sizes.
//
// https://onnx.ai/onnx/operators/onnx__SplitToSequence.html
var SplitToSequence = &op.Op{
	Name:  "SplitToSequence",
	Since: []int{11, 24},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: 0},
		{Name: "keepdims", Kind: op.Int, Default: 1},
	},
	Inputs: []op.Port{
		splitToInput: {Name: "input", Types: elem.Any},
		splitToSplit: {Name: "split", Types: elem.Indices, Optional: true},
	},
	Outputs: []op.Port{{Name: "output_sequence", Types: op.ASequence}},
	Infer:   inferSplitToSequence,
	Lower:   lowerSplitToSequence,
	Stops:   op.StopLists,
}

func inferSplitToSequence(c *op.Infer) error {
	x, err := c.Tensor(splitToInput)
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 {
		return fmt.Errorf("input %q is a scalar", c.In[splitToInput].Name)
	}
	axis, err := op.Axis(c.Int("axis"), len(x.Shape))
	if err != nil {
		return err
	}
	shape := slices.Clone(x.Shape)
	switch {
	case c.Arg(splitToSplit) != nil:
		if _, err := c.Tensor(splitToSplit); err != nil {
			return err
		}
		if err := c.CheckElems(splitToSplit, elem.Indices); err != nil {
			return err
		}
		shape[axis] = pieces(c, x.Shape[axis])
	case c.Int("keepdims") != 0:
		shape[axis] = ir.C(1)
	default:
		shape = slices.Delete(shape, axis, axis+1)
	}
	c.Out(0, ir.SequenceOf(op.ItemType(ir.TensorOf(x.Elem, shape...))))
	return nil
}

// pieces returns the size of every piece of an axis of size n.
func pieces(c *op.Infer, n ir.Dim) ir.Dim {
	sizes, ok := c.Content(splitToSplit)
	if !ok || len(sizes) == 0 {
		return op.Varies
	}
	for _, d := range sizes {
		if !d.Equal(sizes[0]) {
			return op.Varies
		}
	}
	size, ok := sizes[0].Const()
	if even := len(c.Type(splitToSplit).Shape) == 0; !ok || size <= 0 || even && !n.Mod(sizes[0]).Is(0) {
		return op.Varies
	}
	return sizes[0]
}

func lowerSplitToSequence(l *op.Lowering) error {
	x := l.In[splitToInput]
	axis, err := op.Axis(l.Int("axis"), len(op.Shape(x)))
	if err != nil {
		return err
	}
	if split := l.Arg(splitToSplit); split != nil {
		l.Call("SplitSequence", l.Out[0], x, split, op.Shape(x), axis, len(op.Shape(split)) == 0)
		return nil
	}
	l.Call("UnstackSequence", l.Out[0], x, op.Shape(x), axis, l.Int("keepdims") != 0)
	return nil
}
