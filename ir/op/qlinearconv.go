package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// QLinearConv is the convolution of a quantized input, quantized.
//
// https://onnx.ai/onnx/operators/onnx__QLinearConv.html
var QLinearConv = &Op{
	Name:  "QLinearConv",
	Since: []int{10},
	Attrs: []Attr{
		{Name: "auto_pad", Kind: String, Default: "NOTSET", Values: autoPads},
		{Name: "dilations", Kind: Ints},
		{Name: "group", Kind: Int, Default: 1},
		{Name: "kernel_shape", Kind: Ints},
		{Name: "pads", Kind: Ints},
		{Name: "strides", Kind: Ints},
	},
	Inputs: []Port{
		{Name: "x", Types: int8s},
		{Name: "x_scale", Types: float32s},
		{Name: "x_zero_point", Like: "x"},
		{Name: "w", Types: int8s},
		{Name: "w_scale", Types: float32s},
		{Name: "w_zero_point", Like: "w"},
		{Name: "y_scale", Types: float32s},
		{Name: "y_zero_point", Types: int8s},
		{Name: "B", Types: int32s, Optional: true},
	},
	Outputs: []Port{{Name: "y", Like: "y_zero_point"}},
	Infer:   inferQLinearConv,
	Lower:   lowerQLinearConv,
	Agree:   agreeConv(0, 3),
	Stops:   fromIntegers,
}

func inferQLinearConv(c *Infer) error {
	cv, err := inferConv32(c, 0, 3, 2, 5)
	if err != nil {
		return err
	}
	zero, err := byteTensor(c, 7)
	if err != nil {
		return err
	}
	one := ir.C(1)
	for _, i := range []int{1, 6} {
		if err := checkFactors(c, i, tensor.Float32, one, one); err != nil {
			return err
		}
	}
	if err := checkFactors(c, 4, tensor.Float32, cv.filters, one); err != nil {
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

func lowerQLinearConv(l *Lowering) error {
	cv, err := newConv(l.Node, 0, 3)
	if err != nil {
		return err
	}
	y := l.Out[0]
	sums := l.Scratch(tensor.Int32, Shape(y)...)
	l.Call("ConvInteger", sums, l.In[0], l.In[3], l.In[2], l.In[5], l.Arg(8), cv.images, cv.channels, cv.filters, cv.groups, cv.arg())
	l.Call("Requantize", y, sums, l.In[4], l.In[1], l.In[6], l.In[7], cv.filters, ir.Size(cv.out))
	return nil
}
