package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// RMSNormalization divides the axes from axis on by their root mean square, and
// then scales them.
//
// https://onnx.ai/onnx/operators/onnx__RMSNormalization.html
var RMSNormalization = &Op{
	Name:  "RMSNormalization",
	Since: []int{23},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Default: -1},
		{Name: "epsilon", Kind: Float, Default: 1e-5},
		{Name: "stash_type", Kind: Int, Default: 1},
	},
	Inputs:  []Port{{Name: "X", Types: floats}, {Name: "scale", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "scale"}},
	Infer:   inferRMSNorm,
	Grad:    rmsNormGrad,
	Lower:   lowerRMSNorm,
	Widen:   true,
	FLOPs:   perInput(4),
}

// The result has the element type of the scale.
func inferRMSNorm(c *Infer) error {
	x, _, err := normAxis(c)
	if err != nil {
		return err
	}
	scale, err := floatInput(c, 1)
	if err != nil {
		return err
	}
	if err := broadcastsTo(c.In[1], x.Shape); err != nil {
		return fmt.Errorf("scale: %w", err)
	}
	c.OutTensor(0, scale.Elem, x.Shape...)
	return nil
}

func lowerRMSNorm(l *Lowering) error {
	x, scale := l.In[0], l.In[1]
	axis, err := Axis(l.Int("axis"), len(Shape(x)))
	if err != nil {
		return err
	}
	inner, eps := ir.Size(Shape(x)[axis:]), l.Float("epsilon")
	if runsAlong(scale, Shape(x)[axis:]) {
		l.Call("RMSNorm", l.Out[0], x, scale, inner, eps)
		return nil
	}
	var none *ir.Value
	l.Call("RMSNorm", l.Out[0], x, none, inner, eps)
	lowerBinary(l, "Mul", l.Out[0], l.Out[0], scale)
	return nil
}

// for x̂ = x/rms and h = dy·scale: dx = (h - x̂·mean(h·x̂))/rms
func rmsNormGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, scale := n.In[0], n.In[1]
	attrs := attr("axis", n.Int("axis"), "epsilon", n.Float("epsilon"), "center", 0)
	elem := x.Type.Elem
	out := ownN(b, "LayerNormGrad", 2, attrs, castTo(b, dy[0], elem), x, castTo(b, scale, elem))
	return []*ir.Value{out[0], castTo(b, out[1], scale.Type.Elem)}
}
