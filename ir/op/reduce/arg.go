package reduce

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Common parts of ArgMax and ArgMin.

func inferArg(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	axis, err := op.Axis(c.Int("axis"), len(x.Shape))
	if err != nil {
		return err
	}
	mask := make([]bool, max(len(x.Shape), 1))
	mask[axis] = true
	c.OutTensor(0, tensor.Int64, reduceShape(x.Shape, mask, c.Int("keepdims") != 0)...)
	return nil
}

func lowerArg(kernel string) func(l *op.Lowering) error {
	return func(l *op.Lowering) error {
		outer, n, inner, err := op.SplitAxis(op.Shape(l.In[op.X]), l.Int("axis"))
		if err != nil {
			return err
		}
		l.Call(kernel, l.Out[0], l.In[op.X], outer, n, inner, l.Int("select_last_index") != 0)
		return nil
	}
}
