package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [QLinearConv].
const (
	qLinearConvX = iota
	qLinearConvXScale
	qLinearConvXZeroPoint
	qLinearConvW
	qLinearConvWScale
	qLinearConvWZeroPoint
	qLinearConvYScale
	qLinearConvYZeroPoint
	qLinearConvB
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
		qLinearConvX:          {Name: "x", Types: elem.Bytes},
		qLinearConvXScale:     {Name: "x_scale", Types: elem.Float32s},
		qLinearConvXZeroPoint: {Name: "x_zero_point", Like: "x"},
		qLinearConvW:          {Name: "w", Types: elem.Bytes},
		qLinearConvWScale:     {Name: "w_scale", Types: elem.Float32s},
		qLinearConvWZeroPoint: {Name: "w_zero_point", Like: "w"},
		qLinearConvYScale:     {Name: "y_scale", Types: elem.Float32s},
		qLinearConvYZeroPoint: {Name: "y_zero_point", Types: elem.Bytes},
		qLinearConvB:          {Name: "B", Types: elem.Int32s, Optional: true},
	},
	Outputs: []op.Port{{Name: "y", Like: "y_zero_point"}},
	Infer:   inferQLinearConv,
	Lower:   lowerQLinearConv,
	FLOPs:   qLinearConvWork,
	Agree:   agreeConv(0, 3),
	Stops:   op.StopFromIntegers,
}

func inferQLinearConv(c *op.Infer) error {
	cv, err := inferConv32(c, 0, 3, 2, 5)
	if err != nil {
		return err
	}
	zero, err := c.ByteTensor(qLinearConvYZeroPoint)
	if err != nil {
		return err
	}
	one := ir.C(1)
	if err := c.CheckFactors(qLinearConvYZeroPoint, zero.Elem, one, one); err != nil {
		return err
	}
	for _, i := range []int{1, 6} {
		if err := c.CheckFactors(i, tensor.Float32, one, one); err != nil {
			return err
		}
	}
	if err := c.CheckFactors(qLinearConvWScale, tensor.Float32, cv.filters, one); err != nil {
		return err
	}
	if err := checkBias(c, 8, cv.filters); err != nil {
		return err
	}
	if c.Arg(qLinearConvB) != nil && c.Type(qLinearConvB).Elem != tensor.Int32 {
		return fmt.Errorf("bias is %s, want int32", c.Type(qLinearConvB).Elem)
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
	l.Call("ConvInteger", sums, l.In[qLinearConvX], l.In[qLinearConvW], l.In[qLinearConvXZeroPoint], l.In[qLinearConvWZeroPoint], l.Arg(qLinearConvB), cv.shapeArg())
	l.Call("Requantize", y, sums, l.In[qLinearConvWScale], l.In[qLinearConvXScale], l.In[qLinearConvYScale], l.In[qLinearConvYZeroPoint], cv.filters, ir.Size(cv.out))
	return nil
}

// qLinearConvWork is [convWork].
func qLinearConvWork(n *ir.Node) ir.Dim {
	return ir.C(2).Mul(op.OutLen(n)).Mul(ir.Size(op.Shape(n.In[qLinearConvW])[1:]))
}
