package quant

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// QuantizeLinear is saturate(round(x/scale) + zero), with one scale for the
// whole tensor, for each index of an axis, or for blocks.
//
// https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
var QuantizeLinear = &op.Op{
	Name:  "QuantizeLinear",
	Since: []int{10, 13, 19, 21, 23, 24, 25, 28},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: 1, Since: 13},
		{Name: "block_size", Kind: op.Int, Default: 0, Since: 21},
		{Name: "output_dtype", Kind: op.Int, Default: 0, Since: 21},
		{Name: "precision", Kind: op.Int, Default: 0, Since: 23},
		{Name: "saturate", Kind: op.Int, Default: 1, Since: 19},
	},
	Inputs: []op.Port{
		quantX:     {Name: "x", Types: elem.Floats.With(elem.Int32s)},
		quantScale: {Name: "y_scale", Types: elem.Scales.With(elem.Int32s)},
		quantZero:  {Name: "y_zero_point", Types: elem.Quantized, Optional: true},
	},
	Outputs: []op.Port{{Name: "y", Like: "y_zero_point"}},
	Infer:   inferQuantizeLinear,
	Lower:   lowerQuantizeLinear,
	Stops:   op.StopStepwise,
	Last:    &op.LastForm{Build: lastQuantize},

	Pointwise: oneScale,
}

func inferQuantizeLinear(c *op.Infer) error {
	x, err := c.Tensor(quantX)
	if err != nil {
		return err
	}
	to := tensor.Uint8
	if c.Int("output_dtype") != 0 {
		if to, err = op.DtypeAttr(c.Node, "output_dtype", to); err != nil {
			return err
		}
	}
	if z := c.Arg(quantZero); z != nil {
		if c.Int("output_dtype") != 0 && z.Type.Elem != to {
			return fmt.Errorf("zero point %q is %s, want %s as output_dtype says", z.Name, z.Type.Elem, to)
		}
		to = z.Type.Elem
	}
	if !elem.Quantized.Has(to) {
		return fmt.Errorf("cannot quantize to %s", to)
	}
	int32s := elem.Named("", tensor.Int32)
	if err := c.CheckElems(quantScale, elem.Scales.Or("a float or int32", int32s)); err != nil {
		return err
	}
	if err := c.CheckElems(quantX, elem.Floats.Or("a float or int32", int32s)); err != nil {
		return err
	}
	c.OutTensor(0, to, x.Shape...)
	return checkQuantScale(c, x)
}

func lowerQuantizeLinear(l *op.Lowering) error {
	b, err := blockArg(l.Node)
	if err != nil {
		return err
	}
	y, zero := l.Out[0], l.Arg(quantZero)
	precision := tensor.DType(l.IntOr("precision", int(l.In[quantScale].Type.Elem)))
	x, scale := inFloat32(l, l.In[quantX]), inFloat32(l, l.In[quantScale])
	small := precision == tensor.Float16 || precision == tensor.BFloat16
	if elem.Bytes.Has(y.Type.Elem) && !small && oneScale(l.Node) {
		l.Each("Quantize", y, x, scale, zero)
		return nil
	}
	if elem.QuantizedIntegers.Has(y.Type.Elem) && !small {
		l.Call("QuantizeLinear", y, x, scale, zero, b)
		return nil
	}
	t := l.Scratch(tensor.Float32, op.Shape(x)...)
	if !elem.QuantizedIntegers.Has(y.Type.Elem) {
		l.Call("DivScale", t, x, scale, inFloat32(l, zero), b)
		l.Cast(y, t)
		return nil
	}
	l.Call("DivScale", t, x, scale, (*ir.Value)(nil), b) // the quotient is rounded first
	half := l.Scratch(precision, op.Shape(x)...)
	l.Cast(half, t)
	l.Cast(t, half)
	if zero == nil {
		b = op.Struct{Type: "Blocks", Fields: []op.Field{{Name: "Outer", Value: 1}, {Name: "N", Value: op.Len(x)}, {Name: "Inner", Value: 1}, {Name: "Size", Value: 1}}}
	}
	l.Call("QuantizeLinear", y, t, (*ir.Value)(nil), zero, b)
	return nil
}

// oneScale reports whether a node has one scale and one zero point for all
// elements.
func oneScale(n *ir.Node) bool {
	return ir.Size(op.Shape(n.In[quantScale])).Is(1) && (n.Arg(quantZero) == nil || ir.Size(op.Shape(n.In[quantZero])).Is(1))
}

// lastQuantize converts a QuantizeLinear with one scale and one zero point for all elements.
func lastQuantize(l *op.Last) *ir.Value {
	in := slices.Clone(l.In)
	for _, v := range in[1:] {
		if v != nil && !ir.Size(op.Shape(v)).Is(1) {
			return nil
		}
	}
	if in[0] = l.Of(in[0]); in[0] == nil {
		return nil
	}
	return l.B.OpA(l.Op, l.Attrs, in...)
}
