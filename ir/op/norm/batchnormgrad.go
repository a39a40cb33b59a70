package norm

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// BatchNormGrad is the gradient of a [BatchNormalization] in training by its
// input, its scale and its bias. Its inputs are dy, and the input and the scale
// of the layer.
var BatchNormGrad = &op.Op{
	Name:    "BatchNormGrad",
	Domain:  op.Own,
	Since:   []int{1},
	Attrs:   []op.Attr{{Name: "epsilon", Kind: op.Float, Default: 1e-5}},
	Inputs:  []op.Port{{Name: "dy", Types: elem.Floats}, {Name: "x", Like: "dy"}, {Name: "scale", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}, {Name: "dscale", Like: "scale"}, {Name: "dbias", Like: "scale"}},
	Infer:   inferBatchNormGrad,
	Lower:   lowerBatchNormGrad,
	Expand:  expandBatchNormGrad,
	Expands: op.Never,
	Widen:   true,
}

func inferBatchNormGrad(c *op.Infer) error {
	x, err := c.FloatTensor(1)
	if err != nil {
		return err
	}
	scale, err := c.FloatRank(2, 1)
	c.Out(0, x)
	c.Out(1, scale)
	c.Out(2, scale)
	return err
}

func lowerBatchNormGrad(l *op.Lowering) error {
	x, inner := l.In[1], ir.C(1)
	if len(op.Shape(x)) > 2 {
		inner = ir.Size(op.Shape(x)[2:])
	}
	l.Call("BatchNormGrad", l.Res(0), l.Res(1), l.Res(2), l.In[0], x, l.In[2], inner, l.Float("epsilon"))
	return nil
}

func expandBatchNormGrad(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	dy, x := n.In[0], n.In[1]
	elem := x.Type.Elem
	axes := op.AllAxes(len(op.Shape(x)))
	if len(axes) > 1 {
		axes = append([]int{0}, axes[2:]...)
	}
	h := b.Op("Mul", dy, perChannel(b, op.CastTo(b, n.In[2], elem), x))
	dx, unit := normGrad(b, h, x, axes, n.Float("epsilon"), true)
	to := n.In[2].Type.Elem
	ds := op.CastTo(b, channelSum(b, b.Op("Mul", dy, unit)), to)
	return []*ir.Value{dx, op.ReshapeLike(b, ds, n.In[2]), op.ReshapeLike(b, op.CastTo(b, channelSum(b, dy), to), n.In[2])}, nil
}
