package shape

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Pad].
const (
	padData = iota
	padPads
	padConstantValue
	padAxes
)

// Pad extends axes, or cuts them where a pad is negative.
//
// https://onnx.ai/onnx/operators/onnx__Pad.html
var Pad = &op.Op{
	Name:  "Pad",
	Since: []int{1, 2, 11, 13, 18, 19, 21, 23, 24, 25},
	Attrs: []op.Attr{
		{Name: "mode", Kind: op.String, Default: "constant", Values: []string{"constant", "reflect", "edge", "wrap"}},
		{Name: "paddings", Kind: op.Ints, Required: true, Until: 2},
		{Name: "pads", Kind: op.Ints, Required: true, Since: 2, Until: 11},
		{Name: "value", Kind: op.Float, Default: 0.0, Until: 11},
	},
	Inputs: []op.Port{
		padData:          {Name: "data", Types: elem.Any},
		padPads:          {Name: "pads", Types: elem.Indices, Since: 11},
		padConstantValue: {Name: "constant_value", Like: "data", Optional: true, Since: 11},
		padAxes:          {Name: "axes", Types: elem.Indices, Optional: true, Since: 18},
	},
	Outputs: []op.Port{{Name: "output", Like: "data"}},
	Infer:   inferPad,
	Upgrade: upgradePad,
	Grad:    padGrad,
	Lower:   lowerPad,
	Last:    &op.LastForm{Build: lastPad},
}

var padModes = map[string]op.Const{"constant": "PadConstant", "edge": "PadEdge", "reflect": "PadReflect", "wrap": "PadWrap"}

func upgradePad(b *ir.Builder, n *ir.Node) error {
	if n.Version >= 11 {
		return nil
	}
	if len(n.In) != 1 || n.In[padData] == nil {
		return fmt.Errorf("has %d inputs, want 1", len(n.In))
	}
	op.AttrToInput(b, n, "paddings", 1)
	op.AttrToInput(b, n, "pads", 1)
	value, dtype := n.Float("value"), n.In[padData].Type.Elem
	n.Attrs.Delete("value")
	if value != 0 && len(n.In) == 2 {
		if !elem.Floats.Has(dtype) {
			return fmt.Errorf("input is %s, want a float", dtype)
		}
		n.In = append(n.In, b.Scalar(dtype, value))
	}
	return nil
}

// padding holds the operands of a Pad: the same number of pads before and after as there are axes.
type padding struct{ before, after, axes []ir.Dim }

func paddingOf(n *ir.Node, rank int) (padding, error) {
	pads, _ := op.Content(n.Arg(padPads))
	axes, _ := op.Content(n.Arg(padAxes))
	if n.Arg(padAxes) == nil {
		axes = ir.Cs(op.AllAxes(rank)...)
	}
	if len(pads) != 2*len(axes) {
		return padding{}, fmt.Errorf("%d pads for %d axes", len(pads), len(axes))
	}
	return padding{pads[:len(axes)], pads[len(axes):], axes}, nil
}

// along returns the padding before and after an axis. It is not ok if that is known only at run time.
func (p padding) along(axis, rank int) (before, after ir.Dim, ok bool) {
	axes, ok := ir.Static(p.axes)
	if !ok {
		return ir.Dim{}, ir.Dim{}, false
	}
	k := slices.IndexFunc(axes, func(a int) bool { return a == axis || a == axis-rank })
	if k < 0 {
		return ir.C(0), ir.C(0), true
	}
	return p.before[k], p.after[k], true
}

func inferPad(c *op.Infer) error {
	x, err := c.Tensor(padData)
	if err != nil {
		return err
	}
	for _, i := range []int{1, 3} {
		if c.Arg(i) == nil {
			continue
		}
		if _, err := c.Read(i); err != nil {
			return err
		}
	}
	if v := c.Arg(padConstantValue); v != nil {
		if t, err := c.Tensor(padConstantValue); err != nil || t.Elem != x.Elem || len(t.Shape) > 1 {
			return fmt.Errorf("constant_value is %s, want a single %s", t, x.Elem)
		}
	}
	p, err := paddingOf(c.Node, len(x.Shape))
	if err != nil {
		return err
	}
	if axes, ok := ir.Static(p.axes); ok {
		if _, err := op.Axes(axes, len(x.Shape)); err != nil {
			return err
		}
	}
	shape := make([]ir.Dim, len(x.Shape))
	for axis, n := range x.Shape {
		before, after, ok := p.along(axis, len(x.Shape))
		shape[axis] = n.Add(before).Add(after)
		if !ok || c.Module.FromData(shape[axis]) || c.Module.FromData(before) {
			shape[axis] = c.Fresh("dim")
			c.Fresh("before")
		}
	}
	if err := op.CheckNotNegative(shape); err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, shape...)
	return nil
}

func lowerPad(l *op.Lowering) error {
	x, y := l.In[padData], l.Out[0]
	rank := len(op.Shape(x))
	p, err := paddingOf(l.Node, rank)
	if err != nil {
		return err
	}
	before := make([]ir.Dim, rank)
	k := 0
	for axis, n := range op.Shape(x) {
		if l.IsSym(op.Shape(y)[axis], k) {
			pads := slices.Concat(p.before, p.after)
			l.Count(k, "PadSize", pads, p.axes, rank, axis, n)
			l.Count(k+1, "PadBefore", pads, p.axes, rank, axis)
			before[axis] = ir.Sym(l.Syms[k+1])
			k += 2
			continue
		}
		before[axis], _, _ = p.along(axis, rank)
	}
	l.Call("Pad", y, x, l.Arg(padConstantValue), op.Shape(x), op.Shape(y), before, padModes[l.Str("mode")])
	return nil
}

// dx = the part of dy for x, plus the gradients of repeated elements around it
func padGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, mode := n.In[padData], n.Str("mode")
	if mode != "constant" {
		return []*ir.Value{op.OwnNode(b, "PadGrad", op.Attrs("mode", mode), append([]*ir.Value{dy[0], x, n.In[padPads]}, givenAxes(n)...)...)}
	}
	dx := b.Op("Pad", append([]*ir.Value{dy[0], b.Op("Neg", n.In[padPads]), nil}, givenAxes(n)...)...)
	if v := n.Arg(padConstantValue); v != nil {
		all, inside := op.SumInto(b, dy[0], v), op.SumInto(b, dx, v)
		return []*ir.Value{dx, nil, b.Op("Sub", all, inside)}
	}
	return []*ir.Value{dx}
}

// givenAxes returns the input with the axes, if there is one.
func givenAxes(n *ir.Node) []*ir.Value {
	if v := n.Arg(padAxes); v != nil {
		return []*ir.Value{v}
	}
	return nil
}

// lastPad converts a Pad: the pads are in another order.
func lastPad(l *op.Last) *ir.Value {
	pads, ok := op.Content(l.Arg(padPads))
	consts, static := ir.Static(pads)
	rank := len(op.Shape(l.In[padData]))
	if !ok || !static || len(pads) != 2*rank || l.Arg(padAxes) != nil {
		return nil
	}
	x := l.Of(l.In[padData])
	if x == nil {
		return nil
	}
	to := make([]int, len(consts))
	for i, p := range consts {
		to[i/rank*rank+op.LastAxis(i%rank, rank)] = p
	}
	in := []*ir.Value{x, l.B.Ints(to...)}
	if l.Arg(padConstantValue) != nil {
		in = append(in, l.In[padConstantValue])
	}
	return l.B.OpA("Pad", l.Attrs, in...)
}
