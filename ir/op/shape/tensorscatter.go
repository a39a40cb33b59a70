package shape

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TensorScatter writes a range of new rows into a copy of a cache, from a different row on for each sample of
// the batch.
//
// https://onnx.ai/onnx/operators/onnx__TensorScatter.html
var TensorScatter = &op.Op{
	Name:  "TensorScatter",
	Since: []int{24},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: -2},
		{Name: "mode", Kind: op.String, Default: "linear", Values: []string{"linear", "circular"}},
	},
	Inputs:  []op.Port{{Name: "past_cache", Types: elem.Any}, {Name: "update", Like: "past_cache"}, {Name: "write_indices", Types: elem.Int64s, Optional: true}},
	Outputs: []op.Port{{Name: "present_cache", Like: "past_cache"}},
	Infer:   inferTensorScatter,
	Grad:    tensorScatterGrad,
	Lower:   lowerTensorScatter,
}

func inferTensorScatter(c *op.Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	update, err := c.Rank(1, len(x.Shape))
	if err != nil {
		return err
	}
	axis, err := op.Axis(c.Int("axis"), len(x.Shape))
	if err != nil {
		return err
	}
	if axis == 0 {
		return fmt.Errorf("axis is that of the batch, want a later one")
	}
	want := slices.Clone(x.Shape)
	want[axis] = update.Shape[axis]
	if c.AgreeShape(1, want) != nil || x.Elem != update.Elem {
		return fmt.Errorf("update is %s, which does not fit %s", update, x)
	}
	if c.Arg(2) != nil {
		at, err := c.Rank(2, 1)
		if err != nil {
			return err
		}
		if _, err := c.Agree(2, 0, x.Shape[0]); err != nil || at.Elem != tensor.Int64 {
			return fmt.Errorf("write_indices is %s, want int64[%s]", at, x.Shape[0])
		}
	}
	c.Out(0, x)
	return nil
}

func lowerTensorScatter(l *op.Lowering) error {
	shape := op.Shape(l.In[0])
	axis, err := op.Axis(l.Int("axis"), len(shape))
	if err != nil {
		return err
	}
	l.Call("Copy", l.Out[0], l.In[0])
	l.Call("TensorScatter", l.Out[0], l.In[1], l.Arg(2), shape[0], ir.Size(shape[1:axis]),
		shape[axis], op.Shape(l.In[1])[axis], op.Inner(shape, axis), l.Str("mode") == "circular")
	return nil
}

// dcache = dy, but 0 in the new rows; dupdate = the new rows of dy
func tensorScatterGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	cache, update := n.In[0], n.In[1]
	rank := len(op.Shape(cache))
	axis, _ := op.Axis(n.Int("axis"), rank)
	in := append([]*ir.Value{dy[0], op.Fill(b, update, 0)}, n.In[2:]...)
	dcache := b.OpA("TensorScatter", n.Attrs, in...)
	at := op.Along(b, op.UpTo(b, op.SizeOf(b, update, axis)), axis, rank)
	if from := n.Arg(2); from != nil {
		at = b.Op("Add", at, op.Along(b, from, 0, rank))
	}
	if n.Str("mode") == "circular" {
		at = b.Op("Mod", at, op.SizeOf(b, cache, axis))
	}
	at = b.Op("Expand", at, op.ShapeOf(b, update))
	return []*ir.Value{dcache, b.OpA("GatherElements", op.Attrs("axis", axis), dy[0], at), nil}[:len(n.In)]
}
