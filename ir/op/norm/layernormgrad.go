package norm

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [LayerNormGrad].
const (
	layerNormGradDy = iota
	layerNormGradX
	layerNormGradScale
	layerNormGradBias
)

// LayerNormGrad is the gradient of a [LayerNormalization] with respect to its input, its scale and its bias,
// or with center 0 that of an [RMSNormalization]. Its inputs are dy and those of the layer.
var LayerNormGrad = &op.Op{
	Name:   "LayerNormGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: -1},
		{Name: "center", Kind: op.Int, Default: 1},
		{Name: "epsilon", Kind: op.Float, Default: 1e-5},
	},
	Inputs: []op.Port{
		layerNormGradDy:    {Name: "dy", Types: elem.Floats},
		layerNormGradX:     {Name: "x", Like: "dy"},
		layerNormGradScale: {Name: "scale", Types: elem.Floats},
		layerNormGradBias:  {Name: "bias", Types: elem.Floats, Optional: true},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}, {Name: "dscale", Like: "scale", Optional: true}, {Name: "dbias", Like: "scale", Optional: true}},
	Infer:   inferInputs,
	Lower:   lowerLayerNormGrad,
	Expand:  expandLayerNormGrad,
	Expands: scalesOtherwise,
	Widen:   true,
}

// inferInputs infers outputs that are gradients: each has the type of the corresponding input after the
// first.
func inferInputs(c *op.Infer) error {
	if len(c.Node.Out) >= len(c.In) {
		return c.Same()
	}
	for i := range c.Node.Out {
		t, err := c.FloatTensor(layerNormGradX + i)
		if err != nil {
			return err
		}
		c.Out(i, t)
	}
	return nil
}

// scalesOtherwise reports whether the scale or the bias does not run along the
// axes that are normalized.
func scalesOtherwise(n *ir.Node) bool {
	x := op.Shape(n.In[layerNormGradX])
	axis, err := op.Axis(n.Int("axis"), len(x))
	if err != nil {
		return true
	}
	for _, v := range n.In[2:] {
		if !runsAlong(v, x[axis:]) {
			return true
		}
	}
	return false
}

func lowerLayerNormGrad(l *op.Lowering) error {
	x := l.In[layerNormGradX]
	axis, err := op.Axis(l.Int("axis"), len(op.Shape(x)))
	if err != nil {
		return err
	}
	l.Call("LayerNormGrad", l.Res(0), l.Res(1), l.Res(2), l.In[layerNormGradDy], x, l.In[layerNormGradScale], op.Struct{Type: "NormParams", Fields: []op.Field{
		{Name: "N", Value: ir.Size(op.Shape(x)[axis:])}, {Name: "Eps", Value: l.Float("epsilon")}, {Name: "Center", Value: l.Int("center") != 0},
	}})
	return nil
}

func expandLayerNormGrad(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	dy, x, scale := n.In[layerNormGradDy], n.In[layerNormGradX], n.In[layerNormGradScale]
	axis, err := op.Axis(n.Int("axis"), len(op.Shape(x)))
	if err != nil {
		return nil, err
	}
	dx, unit := normGrad(b, b.Op("Mul", dy, scale), x, op.AllAxes(len(op.Shape(x)))[axis:], n.Float("epsilon"), n.Int("center") != 0)
	out := []*ir.Value{dx, op.Unbroadcast(b, b.Op("Mul", dy, unit), scale)}
	if len(n.In) > 3 {
		out = append(out, op.Unbroadcast(b, dy, n.In[layerNormGradBias]))
	}
	return out[:len(n.Out)], nil
}

// normGrad returns the gradient of x̂ = (x-mean)/σ along some axes, where h is that
// of x̂, and x̂ itself. Without center, the mean stays:
//
//	dx = (h - mean(h) - x̂·mean(h·x̂))/σ
func normGrad(b *ir.Builder, h, x *ir.Value, axes []int, eps float64, center bool) (dx, unit *ir.Value) {
	mean := func(v *ir.Value) *ir.Value { return b.Op("ReduceMean", v, b.Ints(axes...)) }
	d := x
	if center {
		d = b.Op("Sub", x, mean(x))
	}
	inv := b.Op("Reciprocal", b.Op("Sqrt", b.Op("Add", mean(b.Op("Mul", d, d)), op.ScalarLike(b, x, eps))))
	unit = b.Op("Mul", d, inv)
	dx = b.Op("Sub", h, b.Op("Mul", unit, mean(b.Op("Mul", h, unit))))
	if center {
		dx = b.Op("Sub", dx, mean(h))
	}
	return b.Op("Mul", dx, inv), unit
}
