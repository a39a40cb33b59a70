package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// DequantizeLinear is (x-zero)·scale, with one scale for the whole tensor, for
// each index of an axis, or for blocks.
//
// https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html
var DequantizeLinear = &Op{
	Name:  "DequantizeLinear",
	Since: []int{10, 13, 19, 21, 23, 24, 25, 28},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Default: 1, Since: 13},
		{Name: "block_size", Kind: Int, Default: 0, Since: 21},
		{Name: "output_dtype", Kind: Int, Default: 0, Since: 23},
	},
	Inputs: []Port{
		{Name: "x", Types: quantized.and(int32s)},
		{Name: "x_scale", Types: factorScales, Lacks: elems(tensor.Float8E8M0)},
		{Name: "x_zero_point", Like: "x", Optional: true},
	},
	Outputs: []Port{{Name: "y", Types: factorScales}},
	Infer:   inferDequantizeLinear,
	Lower:   lowerDequantizeLinear,

	Expand:  expandDequantizeLinear,
	Expands: never,
	Last:    &LastForm{Build: lastQuantize},

	Pointwise: oneScale,
}

func inferDequantizeLinear(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	scale, err := c.Tensor(1)
	if err != nil {
		return err
	}
	to := scale.Elem
	if c.Int("output_dtype") != 0 {
		if to, err = dtypeAttr(c.Node, "output_dtype", to); err != nil {
			return err
		}
	}
	if !floats.has(to) || to == tensor.Float64 {
		return fmt.Errorf("cannot dequantize to %s", to)
	}
	if err := c.CheckElems(1, scales); err != nil {
		return err
	}
	if err := c.CheckElems(0, quantized.or("a quantized type or int32", newElems("", tensor.Int32))); err != nil {
		return err
	}
	if z := c.Arg(2); z != nil && z.Type.Elem != x.Elem {
		return fmt.Errorf("zero point %q is %s, want %s like input %q", z.Name, z.Type.Elem, x.Elem, c.In[0].Name)
	}
	c.OutTensor(0, to, x.Shape...)
	return checkQuantScale(c, x)
}

func lowerDequantizeLinear(l *Lowering) error {
	b, err := blockArg(l.Node)
	if err != nil {
		return err
	}
	x, zero, y := l.In[0], l.Arg(2), l.Out[0]
	scale := inFloat32(l, l.In[1])
	if int8s.has(x.Type.Elem) && y.Type.Elem == tensor.Float32 && oneScale(l.Node) {
		l.Each("Dequantize", y, x, scale, zero)
		return nil
	}
	t := y
	if y.Type.Elem != tensor.Float32 {
		t = l.Scratch(tensor.Float32, Shape(y)...)
	}
	if x.Type.Elem.IsSmallFloat() {
		l.Call("MulScale", t, inFloat32(l, x), scale, inFloat32(l, zero), b)
	} else {
		l.Call("DequantizeLinear", t, x, scale, zero, b)
	}
	if t != y {
		castInto(l, y, t)
	}
	return nil
}

// y = (x - zero) · scale, in float32
func expandDequantizeLinear(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	blocks, err := quantBlocks(n)
	if err != nil {
		return nil, err
	}
	x := n.In[0]
	each := func(v *ir.Value) *ir.Value { // an operand that has one element for many of x
		v = castTo(b, v, tensor.Float32)
		switch blocks.per {
		case perTensor:
			return b.Op("Reshape", v, b.Ints())
		case perAxis:
			return along(b, v, blocks.axis, len(Shape(x)))
		}
		at := b.Op("Div", upTo(b, sizeOf(b, x, blocks.axis)), b.Scalar(tensor.Int64, float64(blocks.size)))
		return b.OpA("Gather", attr("axis", blocks.axis), v, at)
	}
	d := castTo(b, x, tensor.Float32)
	if n.Arg(2) != nil {
		d = b.Op("Sub", d, each(n.In[2]))
	}
	return []*ir.Value{castTo(b, b.Op("Mul", d, each(n.In[1])), n.Out[0].Type.Elem)}, nil
}
