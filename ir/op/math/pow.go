package math

import (
	"math"
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

// expandPow brings the exponent to the type of the base. Where that would change it, as float32 has no 2²⁴+1, both go
// through a type that holds more.
func expandPow(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x, y := n.In[op.A], n.In[op.B]
	to := powType(x.Type.Elem, y)
	p := b.Op("Pow", op.CastTo(b, x, to), op.CastTo(b, y, to))
	return []*ir.Value{op.CastTo(b, p, x.Type.Elem)}, nil
}

// powType returns the type in which a base of type x is raised to the power of y. Powers of integers wrap around, so that
// the lower bits of one in 64 bits are right.
func powType(x tensor.DType, y *ir.Value) tensor.DType {
	e := y.Type.Elem
	switch {
	case holds(x, e) || smallPowers(y, !x.IsInt() || x.IsSigned()) && (elem.Floats.Has(x) || !elem.Floats.Has(e)):
		return x
	case elem.Floats.Has(x) || elem.Floats.Has(e):
		return tensor.Float64
	case e == tensor.Uint64:
		return e
	}
	return tensor.Int64
}

// holds reports whether type t has all numbers of type e.
func holds(t, e tensor.DType) bool {
	if elem.Floats.Has(e) {
		return t == e || t == tensor.Float64 || t == tensor.Float32 && e.IsSmallFloat()
	}
	bits := e.Bits() // without the sign
	if e.IsSigned() {
		bits--
	}
	switch t {
	case tensor.Float64:
		return bits <= 53
	case tensor.Float32:
		return bits <= 24
	case tensor.Float16:
		return bits <= 11
	case tensor.BFloat16:
		return bits <= 8
	}
	if t.IsSigned() {
		return bits < t.Bits()
	}
	return bits <= t.Bits() && !e.IsSigned()
}

// smallPowers reports whether y is a constant of numbers that every type has, integers if that is one, and negative ones
// only if that has those.
func smallPowers(y *ir.Value, signed bool) bool {
	if !y.IsConst() {
		return false
	}
	switch d := y.Const.Data.(type) {
	case []float32:
		return allSmall(d, signed)
	case []float64:
		return allSmall(d, signed)
	case []int32:
		return allSmall(d, signed)
	case []int64:
		return allSmall(d, signed)
	}
	return false
}

// allSmall reports whether all numbers are halves of integers, at most 64, and not negative unless signed.
func allSmall[T float32 | float64 | int32 | int64](d []T, signed bool) bool {
	return !slices.ContainsFunc(d, func(v T) bool {
		f := float64(v)
		return !(math.Abs(f) <= 64 && 2*f == math.Trunc(2*f)) || f < 0 && !signed
	})
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
