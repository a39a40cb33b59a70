package math

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Pow is x to the power of y with numpy's broadcasting, in the type of x.
//
// https://onnx.ai/onnx/operators/onnx__Pow.html
var Pow = &op.Op{
	Name:  "Pow",
	Since: []int{1, 7, 12, 13, 15},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Until: 7},
		{Name: "broadcast", Kind: op.Int, Default: 0, Until: 7},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Numbers}, {Name: "Y", Types: elem.Numbers}},
	Outputs: []op.Port{{Name: "Z", Like: "X"}},
	Infer:   inferPow,
	Upgrade: upgradeBroadcast,
	Grad:    powGrad,
	Lower:   op.Binary("Pow"),
	Expand:  expandPow,
	Expands: func(n *ir.Node) bool { return n.In[op.A].Type.Elem != n.In[op.B].Type.Elem },
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  op.Always,
}

func inferPow(c *op.Infer) error {
	x, err := c.Tensor(op.A)
	if err != nil {
		return err
	}
	y, err := c.Tensor(op.B)
	if err != nil {
		return err
	}
	for i := range c.In {
		if err := c.CheckElems(i, elem.Numbers); err != nil {
			return err
		}
	}
	shape, err := op.Broadcast(x.Shape, y.Shape)
	c.OutTensor(0, x.Elem, shape...)
	return err
}

// expandPow brings the exponent to the type of the base; where that would lose
// a fraction, both go through float64.
func expandPow(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x, y := n.In[op.A], n.In[op.B]
	if !elem.Floats.Has(x.Type.Elem) && elem.Floats.Has(y.Type.Elem) {
		p := b.Op("Pow", op.Cast(b, x, tensor.Float64), op.Cast(b, y, tensor.Float64))
		return []*ir.Value{op.Cast(b, p, x.Type.Elem)}, nil
	}
	return []*ir.Value{b.Op("Pow", x, op.Cast(b, y, x.Type.Elem))}, nil
}

// dx = dy·p·xᵖ⁻¹, dp = dy·y·log(x); both 0 in the limit where p or x is 0
func powGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, p := n.In[op.A], n.In[op.B]
	zero, one := op.ScalarLike(b, x, 0), op.ScalarLike(b, x, 1)
	dx := b.Op("Mul", p, b.Op("Pow", x, b.Op("Sub", p, one)))
	if !never0(p) {
		dx = b.Op("Where", b.Op("Equal", p, zero), zero, dx)
	}
	out := []*ir.Value{op.Unbroadcast(b, b.Op("Mul", dy[0], dx), x), nil}
	if !p.IsConst() {
		flat := b.Op("And", b.Op("Equal", x, zero), b.Op("GreaterOrEqual", p, zero))
		log := b.Op("Where", flat, zero, b.Op("Mul", n.Out[0], b.Op("Log", x)))
		out[1] = op.Unbroadcast(b, b.Op("Mul", dy[0], log), p)
	}
	return out
}

// never0 reports whether v is a constant without zeros.
func never0(v *ir.Value) bool {
	if !v.IsConst() {
		return false
	}
	switch d := v.Const.Data.(type) {
	case []float32:
		return !slices.Contains(d, 0)
	case []float64:
		return !slices.Contains(d, 0)
	}
	return false
}
