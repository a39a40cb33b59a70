package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ConvInteger is the convolution of 8-bit integers, less their zero points, in
// int32.
//
// https://onnx.ai/onnx/operators/onnx__ConvInteger.html
var ConvInteger = &Op{
	Name:  "ConvInteger",
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
		{Name: "w", Types: int8s},
		{Name: "x_zero_point", Like: "x", Optional: true},
		{Name: "w_zero_point", Like: "w", Optional: true},
	},
	Outputs: []Port{{Name: "y", Types: int32s}},
	Infer:   inferConvInteger,
	Lower:   lowerConvInteger,
	Agree:   agreeConv(0, 1),
	FLOPs:   convWork,
	Stops:   fromIntegers,
	Last:    &LastForm{Build: lastConvInteger, Starts: true},
}

func inferConvInteger(c *Infer) error {
	cv, err := inferConv32(c, 0, 1, 2, 3)
	c.OutTensor(0, tensor.Int32, cv.shape()...)
	return err
}

// inferConv32 is a convolution of 8-bit integers, whose inputs are given by
// position.
func inferConv32(c *Infer, x, w, xzp, wzp int) (conv, error) {
	xt, err := byteTensor(c, x)
	if err != nil {
		return conv{}, err
	}
	wt, err := byteTensor(c, w)
	if err != nil {
		return conv{}, err
	}
	cv, err := newConv(c.Node, x, w)
	if err != nil {
		return cv, err
	}
	one := ir.C(1)
	if err := checkFactors(c, xzp, xt.Elem, one, one); err != nil {
		return cv, err
	}
	return cv, checkFactors(c, wzp, wt.Elem, cv.filters, one)
}

func lowerConvInteger(l *Lowering) error {
	cv, err := newConv(l.Node, 0, 1)
	if err != nil {
		return err
	}
	l.Call("ConvInteger", l.Out[0], l.In[0], l.In[1], l.Arg(2), l.Arg(3), (*ir.Value)(nil),
		cv.images, cv.channels, cv.filters, cv.groups, cv.arg())
	return nil
}
