package op

import "github.com/bbgen/bbgen/ir"

// BatchNormGrad is the gradient of a [BatchNormalization] in training by its
// input, its scale and its bias. Its inputs are dy, and the input and the scale
// of the layer.
var BatchNormGrad = &Op{
	Name:    "BatchNormGrad",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   []Attr{{Name: "epsilon", Kind: Float, Default: 1e-5}},
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "x", Like: "dy"}, {Name: "scale", Types: floats}},
	Outputs: []Port{{Name: "dx", Like: "dy"}, {Name: "dscale", Like: "scale"}, {Name: "dbias", Like: "scale"}},
	Infer:   inferBatchNormGrad,
	Lower:   lowerBatchNormGrad,
	Expand:  expandBatchNormGrad,
	Expands: never,
	Widen:   true,
}

func inferBatchNormGrad(c *Infer) error {
	x, err := floatInput(c, 1)
	if err != nil {
		return err
	}
	scale, err := floatRank(c, 2, 1)
	c.Out(0, x)
	c.Out(1, scale)
	c.Out(2, scale)
	return err
}

func lowerBatchNormGrad(l *Lowering) error {
	x, inner := l.In[1], ir.C(1)
	if len(Shape(x)) > 2 {
		inner = ir.Size(Shape(x)[2:])
	}
	l.Call("BatchNormGrad", l.Res(0), l.Res(1), l.Res(2), l.In[0], x, l.In[2], inner, l.Float("epsilon"))
	return nil
}

func expandBatchNormGrad(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	dy, x := n.In[0], n.In[1]
	elem := x.Type.Elem
	axes := allAxes(len(Shape(x)))
	if len(axes) > 1 {
		axes = append([]int{0}, axes[2:]...)
	}
	h := b.Op("Mul", dy, perChannel(b, castTo(b, n.In[2], elem), x))
	dx, unit := normGrad(b, h, x, axes, n.Float("epsilon"), true)
	to := n.In[2].Type.Elem
	ds := castTo(b, channelSum(b, b.Op("Mul", dy, unit)), to)
	return []*ir.Value{dx, reshapeLike(b, ds, n.In[2]), reshapeLike(b, castTo(b, channelSum(b, dy), to), n.In[2])}, nil
}
