package op

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// DynamicQuantizeLinear is [QuantizeLinear] to uint8, by a scale and a zero
// point that it takes from the range of the data.
//
// https://onnx.ai/onnx/operators/onnx__DynamicQuantizeLinear.html
var DynamicQuantizeLinear = &Op{
	Name:  "DynamicQuantizeLinear",
	Since: []int{11},
	In:    One,
	Out:   Three,
	Infer: inferDynamicQuantizeLinear,
	Lower: lowerDynamicQuantizeLinear,
}

func inferDynamicQuantizeLinear(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	if x.Elem != tensor.Float32 {
		return fmt.Errorf("input %q is %s, want float32", c.In[0].Name, x.Elem)
	}
	c.OutTensor(0, tensor.Uint8, x.Shape...)
	c.OutTensor(1, tensor.Float32)
	c.OutTensor(2, tensor.Uint8)
	return nil
}

func lowerDynamicQuantizeLinear(l *Lowering) error {
	y, scale, zero := l.Out[0], l.Out[1], l.Out[2]
	if y == nil {
		y = l.Scratch(tensor.Uint8, Shape(l.In[0])...)
	}
	if scale == nil {
		scale = l.Scratch(tensor.Float32)
	}
	if zero == nil {
		zero = l.Scratch(tensor.Uint8)
	}
	l.Call("DynamicQuantizeLinear", y, scale, zero, l.In[0])
	return nil
}
