package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Unfold returns the windows of "size" elements along an axis, every "step" elements. The axis becomes that
// of the windows, and a new last axis has their elements.
var Unfold = &op.Op{
	Name:   "Unfold",
	Domain: op.Tensors,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Required: true},
		{Name: "size", Kind: op.Int, Required: true},
		{Name: "step", Kind: op.Int, Default: 1},
	},
	Inputs:  []op.Port{{Name: "x", Types: elem.Any}},
	Outputs: []op.Port{{Name: "windows", Like: "x"}},
	Infer:   inferUnfold,
	Expand:  expandUnfold,
}

// windows returns the axis, and the number of windows along it.
func windows(n *ir.Node, x ir.Type) (axis, count int, err error) {
	if axis, err = op.Axis(n.Int("axis"), len(x.Shape)); err != nil {
		return 0, 0, err
	}
	size, step := n.Int("size"), n.Int("step")
	length, ok := 0, false
	if len(x.Shape) > 0 {
		length, ok = x.Shape[axis].Const()
	}
	if !ok || size < 1 || step < 1 || size > length {
		return 0, 0, fmt.Errorf("size is %d and step %d for %s, want both above 0, and an axis of a known size that holds a window", size, step, x)
	}
	return axis, (length-size)/step + 1, nil
}

func inferUnfold(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	axis, count, err := windows(c.Node, x)
	if err != nil {
		return err
	}
	shape := append([]ir.Dim(nil), x.Shape...)
	shape[axis] = ir.C(count)
	c.OutTensor(0, x.Elem, append(shape, ir.C(c.Int("size")))...)
	return nil
}

func expandUnfold(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := n.In[op.X]
	axis, count, err := windows(n, x.Type)
	if err != nil {
		return nil, err
	}
	y := taps(b, x, axis, count, n.Int("size"), n.Int("step"), 1)
	perm := make([]int, 0, len(x.Type.Shape)+1)
	for i := range len(x.Type.Shape) + 1 {
		if i != axis+1 {
			perm = append(perm, i)
		}
	}
	return []*ir.Value{b.OpA("Transpose", op.Attrs("perm", append(perm, axis+1)), y)}, nil
}

// taps splits an axis into two: count windows, each with size elements at distance dilation.
func taps(b *ir.Builder, x *ir.Value, axis, count, size, step, dilation int) *ir.Value {
	first, offset := make([]int64, count), make([]int64, size)
	for i := range first {
		first[i] = int64(i * step)
	}
	for k := range offset {
		offset[k] = int64(k * dilation)
	}
	at := b.Op("Add", b.Const(tensor.Of(first, count, 1)), b.Const(tensor.Of(offset, size)))
	return b.OpA("Gather", op.Attrs("axis", axis), x, at)
}
