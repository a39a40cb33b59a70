package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// MaxUnpool puts elements at the positions where MaxPool found them, and zeros elsewhere.
//
// https://onnx.ai/onnx/operators/onnx__MaxUnpool.html
var MaxUnpool = &op.Op{
	Name:  "MaxUnpool",
	Since: []int{9, 11, 22},
	Attrs: []op.Attr{
		{Name: "kernel_shape", Kind: op.Ints, Required: true},
		{Name: "pads", Kind: op.Ints},
		{Name: "strides", Kind: op.Ints},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}, {Name: "I", Types: elem.Int64s}, {Name: "output_shape", Types: elem.Indices, Optional: true}},
	Outputs: []op.Port{{Name: "output", Like: "X"}},
	Infer:   inferMaxUnpool,
	Grad:    maxUnpoolGrad,
	Lower:   lowerMaxUnpool,
	Widen:   true,
}

func inferMaxUnpool(c *op.Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	index, err := c.Rank(1, len(x.Shape))
	if err != nil {
		return err
	}
	for i := range x.Shape {
		if _, err := c.Agree(1, i, x.Shape[i]); err != nil || index.Elem != tensor.Int64 {
			return fmt.Errorf("indices are %s for %s", index, x)
		}
	}
	shape, err := unpooledShape(c.Node)
	if err != nil {
		return err
	}
	if c.Arg(2) != nil {
		if shape, err = c.Read(2); err != nil {
			return err
		}
		if len(shape) != len(x.Shape) {
			return fmt.Errorf("output_shape has %d sizes, want %d", len(shape), len(x.Shape))
		}
		shape = c.OutSizes(shape)
	}
	if err := op.CheckNotNegative(shape); err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, shape...)
	return nil
}

// unpooledShape returns the shape that the indices count in: the smallest that was
// pooled.
func unpooledShape(n *ir.Node) ([]ir.Dim, error) {
	x := op.Shape(n.In[0])
	kernel, strides, pads := n.Ints("kernel_shape"), n.Ints("strides"), n.Ints("pads")
	r := len(kernel)
	if strides == nil {
		strides = make([]int, r)
		for i := range strides {
			strides[i] = 1
		}
	}
	if pads == nil {
		pads = make([]int, 2*r)
	}
	if len(x) != r+2 || len(strides) != r || len(pads) != 2*r {
		return nil, fmt.Errorf("kernel_shape %v, strides %v and pads %v for an input of rank %d", kernel, strides, pads, len(x))
	}
	shape := append([]ir.Dim{}, x...)
	for i := range kernel {
		if strides[i] < 1 || kernel[i] < 1 {
			return nil, fmt.Errorf("kernel_shape is %v and strides %v, want positive numbers", kernel, strides)
		}
		shape[i+2] = x[i+2].Sub(ir.C(1)).Mul(ir.C(strides[i])).Add(ir.C(kernel[i] - pads[i] - pads[r+i]))
	}
	return shape, op.CheckNotNegative(shape)
}

func lowerMaxUnpool(l *op.Lowering) error {
	y := l.Out[0]
	shape, err := unpooledShape(l.Node)
	if err != nil {
		return err
	}
	if want, ok := op.Content(l.Arg(2)); ok {
		l.CountSizes(op.Shape(y), want)
	}
	l.Call("MaxUnpool", y, l.In[0], l.In[1], shape, op.Shape(y))
	return nil
}

// dx = dy at the places that it was put
func maxUnpoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "MaxUnpoolGrad", n.Attrs, dy[0], n.In[1], n.In[0])}
}
