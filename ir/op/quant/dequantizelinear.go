package quant

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [DequantizeLinear] and [QuantizeLinear].
const (
	quantX = iota
	quantScale
	quantZero
)

// DequantizeLinear is (x-zero)·scale, with one scale for the whole tensor, for
// each index of an axis, or for blocks.
//
// https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html
var DequantizeLinear = &op.Op{
	Name:  "DequantizeLinear",
	Since: []int{10, 13, 19, 21, 23, 24, 25, 28},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: 1, Since: 13},
		{Name: "block_size", Kind: op.Int, Default: 0, Since: 21},
		{Name: "output_dtype", Kind: op.Int, Default: 0, Since: 23},
	},
	Inputs: []op.Port{
		quantX:     {Name: "x", Types: elem.Quantized.With(elem.Int32s)},
		quantScale: {Name: "x_scale", Types: elem.FactorScales, Lacks: elem.Of(tensor.Float8E8M0)},
		quantZero:  {Name: "x_zero_point", Like: "x", Optional: true},
	},
	Outputs: []op.Port{{Name: "y", Types: elem.FactorScales}},
	Infer:   inferDequantizeLinear,
	Lower:   lowerDequantizeLinear,

	Expand:  expandDequantizeLinear,
	Expands: op.Never,
	Last:    &op.LastForm{Build: lastQuantize},

	Pointwise: oneScale,
}

func inferDequantizeLinear(c *op.Infer) error {
	x, err := c.Tensor(quantX)
	if err != nil {
		return err
	}
	scale, err := c.Tensor(quantScale)
	if err != nil {
		return err
	}
	to := scale.Elem
	if c.Int("output_dtype") != 0 {
		if to, err = op.DtypeAttr(c.Node, "output_dtype", to); err != nil {
			return err
		}
	}
	if !elem.Floats.Has(to) || to == tensor.Float64 {
		return fmt.Errorf("cannot dequantize to %s", to)
	}
	if err := c.CheckElems(quantScale, elem.Scales); err != nil {
		return err
	}
	if err := c.CheckElems(quantX, elem.Quantized.Or("a quantized type or int32", elem.Named("", tensor.Int32))); err != nil {
		return err
	}
	if z := c.Arg(quantZero); z != nil && z.Type.Elem != x.Elem {
		return fmt.Errorf("zero point %q is %s, want %s like input %q", z.Name, z.Type.Elem, x.Elem, c.In[quantX].Name)
	}
	c.OutTensor(0, to, x.Shape...)
	return checkQuantScale(c, x)
}

func lowerDequantizeLinear(l *op.Lowering) error {
	b, err := blockArg(l.Node)
	if err != nil {
		return err
	}
	x, zero, y := l.In[quantX], l.Arg(quantZero), l.Out[0]
	scale := inFloat32(l, l.In[quantScale])
	if elem.Bytes.Has(x.Type.Elem) && y.Type.Elem == tensor.Float32 && oneScale(l.Node) {
		l.Each("Dequantize", y, x, scale, zero)
		return nil
	}
	t := y
	if y.Type.Elem != tensor.Float32 {
		t = l.Scratch(tensor.Float32, op.Shape(y)...)
	}
	if x.Type.Elem.IsSmallFloat() {
		l.Call("MulScale", t, inFloat32(l, x), scale, inFloat32(l, zero), b)
	} else {
		l.Call("DequantizeLinear", t, x, scale, zero, b)
	}
	if t != y {
		l.Cast(y, t)
	}
	return nil
}

// y = (x - zero) · scale, in float32
func expandDequantizeLinear(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	blocks, err := quantBlocks(n)
	if err != nil {
		return nil, err
	}
	x := n.In[quantX]
	each := func(v *ir.Value) *ir.Value { // an operand that has one element for many of x
		v = op.CastTo(b, v, tensor.Float32)
		switch blocks.per {
		case perTensor:
			return b.Op("Reshape", v, b.Ints())
		case perAxis:
			return op.Along(b, v, blocks.axis, len(op.Shape(x)))
		}
		at := b.Op("Div", op.UpTo(b, op.SizeOf(b, x, blocks.axis)), b.Scalar(tensor.Int64, float64(blocks.size)))
		return b.OpA("Gather", op.Attrs("axis", blocks.axis), v, at)
	}
	d := op.CastTo(b, x, tensor.Float32)
	if n.Arg(quantZero) != nil {
		d = b.Op("Sub", d, each(n.In[quantZero]))
	}
	return []*ir.Value{op.CastTo(b, b.Op("Mul", d, each(n.In[quantScale])), n.Out[0].Type.Elem)}, nil
}
