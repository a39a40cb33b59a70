package norm

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [RMSNormalization].
const (
	rmsNormX = iota
	rmsNormScale
)

// RMSNormalization divides the axes from axis on by their root mean square, and
// then scales them.
//
// https://onnx.ai/onnx/operators/onnx__RMSNormalization.html
var RMSNormalization = &op.Op{
	Name:  "RMSNormalization",
	Since: []int{23},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: -1},
		{Name: "epsilon", Kind: op.Float, Default: 1e-5},
		{Name: "stash_type", Kind: op.Int, Default: 1},
	},
	Inputs:  []op.Port{rmsNormX: {Name: "X", Types: elem.Floats}, rmsNormScale: {Name: "scale", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "scale"}},
	Infer:   inferRMSNorm,
	Grad:    rmsNormGrad,
	Lower:   lowerRMSNorm,
	Widen:   true,
	FLOPs:   op.PerInput(4),
}

// The result has the element type of the scale.
func inferRMSNorm(c *op.Infer) error {
	x, _, err := normAxis(c)
	if err != nil {
		return err
	}
	scale, err := c.FloatTensor(rmsNormScale)
	if err != nil {
		return err
	}
	if err := c.BroadcastsInto(rmsNormScale, x.Shape); err != nil {
		return err
	}
	c.OutTensor(0, scale.Elem, x.Shape...)
	return nil
}

func lowerRMSNorm(l *op.Lowering) error {
	x, scale := l.In[rmsNormX], l.In[rmsNormScale]
	axis, err := op.Axis(l.Int("axis"), len(op.Shape(x)))
	if err != nil {
		return err
	}
	inner, eps := ir.Size(op.Shape(x)[axis:]), l.Float("epsilon")
	if runsAlong(scale, op.Shape(x)[axis:]) {
		l.Call("RMSNorm", l.Out[0], x, scale, inner, eps)
		return nil
	}
	var none *ir.Value
	l.Call("RMSNorm", l.Out[0], x, none, inner, eps)
	l.Binary("Mul", l.Out[0], l.Out[0], scale)
	return nil
}

// for x̂ = x/rms and h = dy·scale: dx = (h - x̂·mean(h·x̂))/rms
func rmsNormGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, scale := n.In[rmsNormX], n.In[rmsNormScale]
	attrs := op.Attrs("axis", n.Int("axis"), "epsilon", n.Float("epsilon"), "center", 0)
	elem := x.Type.Elem
	out := op.OwnNodes(b, "LayerNormGrad", 2, attrs, op.CastTo(b, dy[0], elem), x, op.CastTo(b, scale, elem))
	return []*ir.Value{out[0], op.CastTo(b, out[1], scale.Type.Elem)}
}
