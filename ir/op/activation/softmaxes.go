package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Common parts of Softmax, LogSoftmax and Hardmax.

// upgradeSoftmax keeps the meaning of opset 12 and older: all axes from the given one on are merged. Bbgen's
// own attribute flat marks this.
func upgradeSoftmax(_ *ir.Builder, n *ir.Node) error {
	if n.Version < 13 {
		n.Attrs.Set("axis", n.Int64("axis"))
		n.Attrs.Set("flat", int64(1))
	}
	return nil
}

func inferSoftmax(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	if _, _, _, err := softmaxAxes(c.Node, x.Shape); err != nil {
		return err
	}
	c.Out(0, x)
	return nil
}

// softmaxAxes returns the sizes before, of and after the normalized axes.
func softmaxAxes(n *ir.Node, shape []ir.Dim) (outer, size, inner ir.Dim, err error) {
	axis := n.Int("axis")
	if n.Int("flat") == 0 {
		return op.SplitAxis(shape, axis)
	}
	if axis == len(shape) { // an empty product
		return ir.Size(shape), ir.C(1), ir.C(1), nil
	}
	outer, size, inner, err = op.SplitAxis(shape, axis)
	return outer, size.Mul(inner), ir.C(1), err
}

func lowerSoftmax(kernel string) func(l *op.Lowering) error {
	return func(l *op.Lowering) error {
		outer, n, inner, err := softmaxAxes(l.Node, op.Shape(l.In[op.X]))
		if err != nil {
			return err
		}
		l.Call(kernel, l.Out[0], l.In[op.X], outer, n, inner)
		return nil
	}
}

// softmaxSum returns the sum of v over the axes that n normalizes, which it keeps.
func softmaxSum(b *ir.Builder, n *ir.Node, v *ir.Value) *ir.Value {
	rank := len(op.Shape(v))
	axis := n.Int("axis")
	if axis < 0 {
		axis += rank
	}
	axes := []int{axis}
	if n.Int("flat") != 0 {
		axes = op.AllAxes(rank)[axis:]
	}
	if len(axes) == 0 || rank == 0 {
		return v
	}
	return b.Op("ReduceSum", v, b.Ints(axes...))
}
