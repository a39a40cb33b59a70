package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [MaxUnpool].
const (
	maxUnpoolX = iota
	maxUnpoolI
	maxUnpoolOutputShape
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
	Inputs: []op.Port{
		maxUnpoolX:           {Name: "X", Types: elem.Floats},
		maxUnpoolI:           {Name: "I", Types: elem.Int64s},
		maxUnpoolOutputShape: {Name: "output_shape", Types: elem.Indices, Optional: true},
	},
	Outputs: []op.Port{{Name: "output", Like: "X"}},
	Infer:   inferMaxUnpool,
	Grad:    maxUnpoolGrad,
	Lower:   lowerMaxUnpool,
	Widen:   true,
}

func inferMaxUnpool(c *op.Infer) error {
	x, err := c.Tensor(maxUnpoolX)
	if err != nil {
		return err
	}
	index, err := c.Rank(maxUnpoolI, len(x.Shape))
	if err != nil {
		return err
	}
	for i := range x.Shape {
		if _, err := c.Agree(maxUnpoolI, i, x.Shape[i]); err != nil || index.Elem != tensor.Int64 {
			return fmt.Errorf("indices are %s for %s", index, x)
		}
	}
	shape, err := unpooledShape(c.Node)
	if err != nil {
		return err
	}
	if c.Arg(maxUnpoolOutputShape) != nil {
		if shape, err = c.Read(maxUnpoolOutputShape); err != nil {
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
	x := op.Shape(n.In[op.X])
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
	if want, ok := op.Content(l.Arg(maxUnpoolOutputShape)); ok {
		l.CountSizes(op.Shape(y), want)
	}
	l.Call("MaxUnpool", y, l.In[maxUnpoolX], l.In[maxUnpoolI], shape, op.Shape(y))
	return nil
}

// dx = dy at the places that it was put
func maxUnpoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "MaxUnpoolGrad", n.Attrs, dy[0], n.In[maxUnpoolI], n.In[maxUnpoolX])}
}
