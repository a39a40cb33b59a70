package shape

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [TensorScatter].
const (
	tensorScatterPastCache = iota
	tensorScatterUpdate
	tensorScatterWriteIndices
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
	Inputs: []op.Port{
		tensorScatterPastCache:    {Name: "past_cache", Types: elem.Any},
		tensorScatterUpdate:       {Name: "update", Like: "past_cache"},
		tensorScatterWriteIndices: {Name: "write_indices", Types: elem.Int64s, Optional: true},
	},
	Outputs: []op.Port{{Name: "present_cache", Like: "past_cache"}},
	Infer:   inferTensorScatter,
	Grad:    tensorScatterGrad,
	Lower:   lowerTensorScatter,
}

func inferTensorScatter(c *op.Infer) error {
	x, err := c.Tensor(tensorScatterPastCache)
	if err != nil {
		return err
	}
	update, err := c.Rank(tensorScatterUpdate, len(x.Shape))
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
	if c.AgreeShape(tensorScatterUpdate, want) != nil || x.Elem != update.Elem {
		return fmt.Errorf("update is %s, which does not fit %s", update, x)
	}
	if c.Arg(tensorScatterWriteIndices) != nil {
		at, err := c.Rank(tensorScatterWriteIndices, 1)
		if err != nil {
			return err
		}
		if _, err := c.Agree(tensorScatterWriteIndices, 0, x.Shape[0]); err != nil || at.Elem != tensor.Int64 {
			return fmt.Errorf("write_indices is %s, want int64[%s]", at, x.Shape[0])
		}
	}
	c.Out(0, x)
	return nil
}

func lowerTensorScatter(l *op.Lowering) error {
	shape := op.Shape(l.In[tensorScatterPastCache])
	axis, err := op.Axis(l.Int("axis"), len(shape))
	if err != nil {
		return err
	}
	l.Call("Copy", l.Out[0], l.In[tensorScatterPastCache])
	l.Call("TensorScatter", l.Out[0], l.In[tensorScatterUpdate], l.Arg(tensorScatterWriteIndices), op.Struct{Type: "TensorScatterShape", Fields: []op.Field{
		{Name: "Batches", Value: shape[0]}, {Name: "Blocks", Value: ir.Size(shape[1:axis])}, {Name: "Rows", Value: shape[axis]},
		{Name: "N", Value: op.Shape(l.In[tensorScatterUpdate])[axis]}, {Name: "Inner", Value: op.Inner(shape, axis)},
	}}, l.Str("mode") == "circular")
	return nil
}

// dcache = dy, but 0 in the new rows; dupdate = the new rows of dy
func tensorScatterGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	cache, update := n.In[tensorScatterPastCache], n.In[tensorScatterUpdate]
	rank := len(op.Shape(cache))
	axis, _ := op.Axis(n.Int("axis"), rank)
	in := append([]*ir.Value{dy[0], op.Fill(b, update, 0)}, n.In[2:]...)
	dcache := b.OpA("TensorScatter", n.Attrs, in...)
	at := op.Along(b, op.UpTo(b, op.SizeOf(b, update, axis)), axis, rank)
	if from := n.Arg(tensorScatterWriteIndices); from != nil {
		at = b.Op("Add", at, op.Along(b, from, 0, rank))
	}
	if n.Str("mode") == "circular" {
		at = b.Op("Mod", at, op.SizeOf(b, cache, axis))
	}
	at = b.Op("Expand", at, op.ShapeOf(b, update))
	return []*ir.Value{dcache, b.OpA("GatherElements", op.Attrs("axis", axis), dy[0], at), nil}[:len(n.In)]
}
