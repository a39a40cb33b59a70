package math

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Clip].
const (
	clipInput = iota
	clipMin
	clipMax
)

// Clip is min(max(x, low), high); either bound may be left out.
//
// https://onnx.ai/onnx/operators/onnx__Clip.html
var Clip = &op.Op{
	Name:  "Clip",
	Since: []int{1, 6, 11, 12, 13},
	Attrs: []op.Attr{
		{Name: "consumed_inputs", Kind: op.Ints, Until: 6},
		{Name: "max", Kind: op.Float, Until: 6},
		{Name: "max", Kind: op.Float, Default: 3.4028235e38, Since: 6, Until: 11},
		{Name: "min", Kind: op.Float, Until: 6},
		{Name: "min", Kind: op.Float, Default: -3.4028235e38, Since: 6, Until: 11},
	},
	Inputs: []op.Port{
		clipInput: {Name: "input", Types: elem.Numbers},
		clipMin:   {Name: "min", Like: "input", Optional: true, Since: 11},
		clipMax:   {Name: "max", Like: "input", Optional: true, Since: 11},
	},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferClip,
	Upgrade: upgradeClip,
	Grad:    clipGrad,
	Lower:   lowerClip,
	InPlace: true,
	Act:     actClip,
	Widen:   true,

	Pointwise: op.Always,
}

// upgradeClip makes inputs of the bounds.
func upgradeClip(b *ir.Builder, n *ir.Node) error {
	if n.Version >= 11 || len(n.In) == 0 || n.In[clipInput] == nil {
		return nil
	}
	if x := n.In[clipInput].Type.Elem; !elem.Numbers.Has(x) {
		return fmt.Errorf("input %q is %s, want %s", n.In[clipInput].Name, x, elem.Numbers)
	}
	in := []*ir.Value{n.In[clipInput], nil, nil}
	for i, name := range []string{"min", "max"} {
		if n.Has(name) {
			in[1+i] = b.Scalar(in[0].Type.Elem, n.Float(name))
			n.Attrs.Delete(name)
		}
	}
	n.In = in
	return nil
}

func inferClip(c *op.Infer) error {
	x, err := c.Tensor(clipInput)
	if err != nil {
		return err
	}
	for i := 1; i < len(c.In); i++ {
		if c.In[i] == nil {
			continue
		}
		t, err := c.Tensor(i)
		if err != nil {
			return err
		}
		if t.Elem != x.Elem || !ir.Size(t.Shape).Is(1) {
			return fmt.Errorf("input %q is %s, want one %s", c.In[i].Name, t, x.Elem)
		}
	}
	c.Out(0, x)
	return nil
}

func lowerClip(l *op.Lowering) error {
	l.Each("Clip", l.Out[0], l.In[clipInput], l.Arg(clipMin), l.Arg(clipMax))
	return nil
}

// actClip returns the activation for the bounds 0 and 6.
func actClip(n *ir.Node) string {
	is := func(v *ir.Value, x float64) bool {
		if !v.IsConst() || v.Const.Len() != 1 {
			return false
		}
		switch d := v.Const.Data.(type) {
		case []float32:
			return d[0] == float32(x)
		case []float64:
			return d[0] == x
		}
		return false
	}
	if is(n.Arg(clipMin), 0) && is(n.Arg(clipMax), 6) {
		return "Relu6"
	}
	return ""
}

// dx = dy where x is within the bounds; the gradient of a bound is dy where it clips
func clipGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, low, high := n.In[clipInput], n.Arg(clipMin), n.Arg(clipMax)
	dx := dy[0]
	out := make([]*ir.Value, len(n.In))
	if low != nil {
		cut := b.Op("Less", x, low)
		dx = b.Op("Where", cut, op.ScalarLike(b, x, 0), dx)
		if high != nil { // which has the last word
			cut = b.Op("And", cut, b.Op("Less", low, high))
		}
		out[1] = op.SumInto(b, op.ZeroUnless(b, cut, dy[0]), low)
	}
	if high != nil {
		cut := b.Op("Greater", x, high)
		dx = b.Op("Where", cut, op.ScalarLike(b, x, 0), dx)
		if low != nil {
			cut = b.Op("Or", cut, b.Op("Less", high, low))
		}
		out[2] = op.SumInto(b, op.ZeroUnless(b, cut, dy[0]), high)
	}
	out[0] = dx
	return out
}
