package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [ConvInteger].
const (
	convIntegerX = iota
	convIntegerW
	convIntegerXZeroPoint
	convIntegerWZeroPoint
)

// ConvInteger is the convolution of 8-bit integers, less their zero points, in
// int32.
//
// https://onnx.ai/onnx/operators/onnx__ConvInteger.html
var ConvInteger = &op.Op{
	Name:  "ConvInteger",
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
		convIntegerX:          {Name: "x", Types: elem.Bytes},
		convIntegerW:          {Name: "w", Types: elem.Bytes},
		convIntegerXZeroPoint: {Name: "x_zero_point", Like: "x", Optional: true},
		convIntegerWZeroPoint: {Name: "w_zero_point", Like: "w", Optional: true},
	},
	Outputs: []op.Port{{Name: "y", Types: elem.Int32s}},
	Infer:   inferConvInteger,
	Lower:   lowerConvInteger,
	Agree:   agreeConv(0, 1),
	FLOPs:   convWork,
	Stops:   op.StopFromIntegers,
	Last:    &op.LastForm{Build: lastConvInteger, Starts: true},
}

func inferConvInteger(c *op.Infer) error {
	cv, err := inferConv32(c, 0, 1, 2, 3)
	c.OutTensor(0, tensor.Int32, cv.shape()...)
	return err
}

// inferConv32 returns a convolution of 8-bit integers. The inputs are given by position.
func inferConv32(c *op.Infer, x, w, xzp, wzp int) (conv, error) {
	xt, err := c.ByteTensor(x)
	if err != nil {
		return conv{}, err
	}
	wt, err := c.ByteTensor(w)
	if err != nil {
		return conv{}, err
	}
	cv, err := newConv(c.Node, x, w)
	if err != nil {
		return cv, err
	}
	if err := cv.checkCopies(); err != nil {
		return cv, err
	}
	one := ir.C(1)
	if err := c.CheckFactors(xzp, xt.Elem, one, one); err != nil {
		return cv, err
	}
	return cv, c.CheckFactors(wzp, wt.Elem, cv.filters, one)
}

func lowerConvInteger(l *op.Lowering) error {
	cv, err := newConv(l.Node, 0, 1)
	if err != nil {
		return err
	}
	l.Call("ConvInteger", l.Out[0], l.In[convIntegerX], l.In[convIntegerW], l.Arg(convIntegerXZeroPoint), l.Arg(convIntegerWZeroPoint), (*ir.Value)(nil), cv.shapeArg())
	return nil
}
