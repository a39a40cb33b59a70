package quant

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// DynamicQuantizeLinear is [QuantizeLinear] to uint8, with a scale and a zero point computed from the range
// of the data.
//
// https://onnx.ai/onnx/operators/onnx__DynamicQuantizeLinear.html
var DynamicQuantizeLinear = &op.Op{
	Name:    "DynamicQuantizeLinear",
	Since:   []int{11},
	Inputs:  []op.Port{{Name: "x", Types: elem.Float32s}},
	Outputs: []op.Port{{Name: "y", Types: elem.Uint8s}, {Name: "y_scale", Types: elem.Float32s}, {Name: "y_zero_point", Types: elem.Uint8s}},
	Infer:   inferDynamicQuantizeLinear,
	Lower:   lowerDynamicQuantizeLinear,

	Expand:  expandDynamicQuantizeLinear,
	Expands: op.Never,
	Last:    &op.LastForm{BuildAll: lastDynamicQuantize},
}

func inferDynamicQuantizeLinear(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	if x.Elem != tensor.Float32 {
		return fmt.Errorf("input %q is %s, want float32", c.In[op.X].Name, x.Elem)
	}
	c.OutTensor(0, tensor.Uint8, x.Shape...)
	c.OutTensor(1, tensor.Float32)
	c.OutTensor(2, tensor.Uint8)
	return nil
}

func lowerDynamicQuantizeLinear(l *op.Lowering) error {
	y, scale, zero := l.Out[0], l.Out[1], l.Out[2]
	if y == nil {
		y = l.Scratch(tensor.Uint8, op.Shape(l.In[op.X])...)
	}
	if scale == nil {
		scale = l.Scratch(tensor.Float32)
	}
	if zero == nil {
		zero = l.Scratch(tensor.Uint8)
	}
	l.Call("DynamicQuantizeLinear", y, scale, zero, l.In[op.X])
	return nil
}

// expandDynamicQuantizeLinear is used to differentiate the scale, which depends on the largest and the
// smallest element.
func expandDynamicQuantizeLinear(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := n.In[op.X]
	zero, top := op.ScalarLike(b, x, 0), op.ScalarLike(b, x, 255)
	lo := b.Op("Min", b.OpA("ReduceMin", op.Attrs("keepdims", 0), x), zero)
	hi := b.Op("Max", b.OpA("ReduceMax", op.Attrs("keepdims", 0), x), zero)
	scale := b.Op("Div", b.Op("Sub", hi, lo), top)
	point := op.Cast(b, b.Op("Round", b.Op("Clip", b.Op("Neg", b.Op("Div", lo, scale)), zero, top)), tensor.Uint8)
	return []*ir.Value{b.Op("QuantizeLinear", x, scale, point), scale, point}, nil
}

// lastDynamicQuantize converts a DynamicQuantizeLinear, which has one scale and one zero point for all elements.
func lastDynamicQuantize(l *op.Last) []*ir.Value {
	x := l.Of(l.In[op.X])
	if x == nil {
		return nil
	}
	return l.Several("DynamicQuantizeLinear", l.Attrs, x)
}
