package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// QLinearConv is the convolution of a quantized input, quantized.
//
// https://onnx.ai/onnx/operators/onnx__QLinearConv.html
var QLinearConv = &op.Op{
	Name:  "QLinearConv",
	Since: []int{10},
	Attrs: []op.Attr{
		{Name: "auto_pad", Kind: op.String, Default: "NOTSET", Values: op.AutoPads},
		{Name: "dilations", Kind: op.Ints},
		{Name: "group", Kind: op.Int, Default: 1},
		{Name: "kernel_shape", Kind: op.Ints},
		{Name: "pads", Kind: op.Ints},
		{Name: "strides", Kind: op.Ints},
	},
	Inputs: []op.Port{
		{Name: "x", Types: elem.Bytes},
		{Name: "x_scale", Types: elem.Float32s},
		{Name: "x_zero_point", Like: "x"},
		{Name: "w", Types: elem.Bytes},
		{Name: "w_scale", Types: elem.Float32s},
		{Name: "w_zero_point", Like: "w"},
		{Name: "y_scale", Types: elem.Float32s},
		{Name: "y_zero_point", Types: elem.Bytes},
		{Name: "B", Types: elem.Int32s, Optional: true},
	},
	Outputs: []op.Port{{Name: "y", Like: "y_zero_point"}},
	Infer:   inferQLinearConv,
	Lower:   lowerQLinearConv,
	Agree:   agreeConv(0, 3),
	Stops:   op.StopFromIntegers,
}

func inferQLinearConv(c *op.Infer) error {
	cv, err := inferConv32(c, 0, 3, 2, 5)
	if err != nil {
		return err
	}
	zero, err := c.ByteTensor(7)
	if err != nil {
		return err
	}
	one := ir.C(1)
	for _, i := range []int{1, 6} {
		if err := c.CheckFactors(i, tensor.Float32, one, one); err != nil {
			return err
		}
	}
	if err := c.CheckFactors(4, tensor.Float32, cv.filters, one); err != nil {
		return err
	}
	if err := checkBias(c, 8, cv.filters); err != nil {
		return err
	}
	if c.Arg(8) != nil && c.Type(8).Elem != tensor.Int32 {
		return fmt.Errorf("bias is %s, want int32", c.Type(8).Elem)
	}
	c.OutTensor(0, zero.Elem, cv.shape()...)
	return nil
}

func lowerQLinearConv(l *op.Lowering) error {
	cv, err := newConv(l.Node, 0, 3)
	if err != nil {
		return err
	}
	y := l.Out[0]
	sums := l.Scratch(tensor.Int32, op.Shape(y)...)
	l.Call("ConvInteger", sums, l.In[0], l.In[3], l.In[2], l.In[5], l.Arg(8), cv.images, cv.channels, cv.filters, cv.groups, cv.arg())
	l.Call("Requantize", y, sums, l.In[4], l.In[1], l.In[6], l.In[7], cv.filters, ir.Size(cv.out))
	return nil
}
