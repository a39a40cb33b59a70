package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// QuantizeLinear is saturate(round(x/scale) + zero), with one scale for the
// whole tensor, for each index of an axis, or for blocks.
//
// https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
var QuantizeLinear = &Op{
	Name:  "QuantizeLinear",
	Since: []int{10, 13, 19, 21, 23, 24, 25, 28},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Default: 1, Since: 13},
		{Name: "block_size", Kind: Int, Default: 0, Since: 21},
		{Name: "output_dtype", Kind: Int, Default: 0, Since: 21},
		{Name: "precision", Kind: Int, Default: 0, Since: 23},
		{Name: "saturate", Kind: Int, Default: 1, Since: 19},
	},
	Inputs: []Port{
		{Name: "x", Types: floats.and(int32s)},
		{Name: "y_scale", Types: scales.and(int32s)},
		{Name: "y_zero_point", Types: quantized, Optional: true},
	},
	Outputs: []Port{{Name: "y", Like: "y_zero_point"}},
	Infer:   inferQuantizeLinear,
	Lower:   lowerQuantizeLinear,
	Stops:   stepwise,
	Last:    &LastForm{Build: lastQuantize},

	Pointwise: oneScale,
}

func inferQuantizeLinear(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	to := tensor.Uint8
	if c.Int("output_dtype") != 0 {
		if to, err = dtypeAttr(c.Node, "output_dtype", to); err != nil {
			return err
		}
	}
	if z := c.Arg(2); z != nil {
		if c.Int("output_dtype") != 0 && z.Type.Elem != to {
			return fmt.Errorf("zero point %q is %s, want %s as output_dtype says", z.Name, z.Type.Elem, to)
		}
		to = z.Type.Elem
	}
	if !quantized.has(to) {
		return fmt.Errorf("cannot quantize to %s", to)
	}
	int32s := newElems("", tensor.Int32)
	if err := c.CheckElems(1, scales.or("a float or int32", int32s)); err != nil {
		return err
	}
	if err := c.CheckElems(0, floats.or("a float or int32", int32s)); err != nil {
		return err
	}
	c.OutTensor(0, to, x.Shape...)
	return checkQuantScale(c, x)
}

func lowerQuantizeLinear(l *Lowering) error {
	b, err := blockArg(l.Node)
	if err != nil {
		return err
	}
	y, zero := l.Out[0], l.Arg(2)
	precision := tensor.DType(l.IntOr("precision", int(l.In[1].Type.Elem)))
	x, scale := inFloat32(l, l.In[0]), inFloat32(l, l.In[1])
	small := precision == tensor.Float16 || precision == tensor.BFloat16
	if int8s.has(y.Type.Elem) && !small && oneScale(l.Node) {
		l.Each("Quantize", y, x, scale, zero)
		return nil
	}
	if quantInts.has(y.Type.Elem) && !small {
		l.Call("QuantizeLinear", y, x, scale, zero, b)
		return nil
	}
	t := l.Scratch(tensor.Float32, Shape(x)...)
	if !quantInts.has(y.Type.Elem) {
		l.Call("DivScale", t, x, scale, inFloat32(l, zero), b)
		castInto(l, y, t)
		return nil
	}
	l.Call("DivScale", t, x, scale, (*ir.Value)(nil), b) // the quotient is rounded before all else
	half := l.Scratch(precision, Shape(x)...)
	castInto(l, half, t)
	castInto(l, t, half)
	if zero == nil {
		b = Struct{"Blocks", []Field{{"Outer", 1}, {"N", Len(x)}, {"Inner", 1}, {"Size", 1}}}
	}
	l.Call("QuantizeLinear", y, t, (*ir.Value)(nil), zero, b)
	return nil
}

// oneScale reports whether a node has one scale and one zero point for all
// elements.
func oneScale(n *ir.Node) bool {
	return ir.Size(Shape(n.In[1])).Is(1) && (n.Arg(2) == nil || ir.Size(Shape(n.In[2])).Is(1))
}

// lastQuantize has one scale and one zero point.
func lastQuantize(l *Last) *ir.Value {
	in := slices.Clone(l.In)
	for _, v := range in[1:] {
		if v != nil && !ir.Size(Shape(v)).Is(1) {
			return nil
		}
	}
	if in[0] = l.Of(in[0]); in[0] == nil {
		return nil
	}
	return l.B.OpA(l.Op, l.Attrs, in...)
}
