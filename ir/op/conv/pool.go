package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// newPool reads the window of a pooling node.
func newPool(n *ir.Node) (window, error) { return poolOf(n, op.Shape(n.In[op.X])) }

// poolOf returns the window of pooling by a node's attributes over a given shape.
func poolOf(n *ir.Node, xs []ir.Dim) (window, error) {
	if len(xs) < 3 {
		return window{}, fmt.Errorf("input has rank %d, want 3 or more", len(xs))
	}
	kernel := n.Ints("kernel_shape")
	if kernel == nil {
		return window{}, fmt.Errorf("kernel_shape is missing")
	}
	w, err := spatial(n, xs[2:], ir.Cs(kernel...))
	if err != nil {
		return w, err
	}
	auto := n.Str("auto_pad")
	err = w.slide(n.Int("ceil_mode") != 0 && (auto == "NOTSET" || auto == ""))
	return w, err
}

// inferPool gives output 0 the type of a pooled input.
func inferPool(c *op.Infer) error {
	t, err := pooled(c, elem.Floats)
	c.Out(0, t)
	return err
}

// pooled returns the type of a pooled input with elements of the given set.
func pooled(c *op.Infer, elems elem.Set) (ir.Type, error) {
	x, err := c.Tensor(op.X)
	if err != nil {
		return x, err
	}
	if err := c.CheckElems(op.X, elems); err != nil {
		return x, err
	}
	w, err := newPool(c.Node)
	if err != nil {
		return x, err
	}
	return ir.TensorOf(x.Elem, append(append([]ir.Dim{}, x.Shape[:2]...), w.out...)...), nil
}

// inferGlobalPool infers output 0 of a pool that reduces each channel to one element.
func inferGlobalPool(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	if err := c.CheckElems(op.X, elem.Floats); err != nil {
		return err
	}
	if len(x.Shape) < 2 {
		return fmt.Errorf("input has rank %d, want 2 or more", len(x.Shape))
	}
	shape := append([]ir.Dim{}, x.Shape...)
	for i := range shape[2:] {
		shape[2+i] = ir.C(1)
	}
	c.OutTensor(0, x.Elem, shape...)
	return nil
}

// globalPool lowers to a kernel that makes one element of each run of a size.
func globalPool(kernel string) func(l *op.Lowering) error {
	return func(l *op.Lowering) error {
		l.Call(kernel, l.Out[0], l.In[op.X], ir.Size(op.Shape(l.In[op.X])[2:]))
		return nil
	}
}

// poolWork looks at each element of a window for each element of the result.
func poolWork(n *ir.Node) ir.Dim {
	return op.OutLen(n).Mul(ir.Size(ir.Cs(n.Ints("kernel_shape")...)))
}
