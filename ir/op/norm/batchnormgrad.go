package norm

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [BatchNormGrad].
const (
	batchNormGradDy = iota
	batchNormGradX
	batchNormGradScale
)

// BatchNormGrad is the gradient of a [BatchNormalization] in training by its
// input, its scale and its bias. Its inputs are dy, and the input and the scale
// of the layer.
var BatchNormGrad = &op.Op{
	Name:   "BatchNormGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  []op.Attr{{Name: "epsilon", Kind: op.Float, Default: 1e-5}},
	Inputs: []op.Port{
		batchNormGradDy:    {Name: "dy", Types: elem.Floats},
		batchNormGradX:     {Name: "x", Like: "dy"},
		batchNormGradScale: {Name: "scale", Types: elem.Floats},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}, {Name: "dscale", Like: "scale"}, {Name: "dbias", Like: "scale"}},
	Infer:   inferBatchNormGrad,
	Lower:   lowerBatchNormGrad,
	Expand:  expandBatchNormGrad,
	Expands: op.Never,
	Widen:   true,
}

func inferBatchNormGrad(c *op.Infer) error {
	x, err := c.FloatTensor(batchNormGradX)
	if err != nil {
		return err
	}
	scale, err := c.FloatRank(batchNormGradScale, 1)
	c.Out(0, x)
	c.Out(1, scale)
	c.Out(2, scale)
	return err
}

func lowerBatchNormGrad(l *op.Lowering) error {
	x, inner := l.In[batchNormGradX], ir.C(1)
	if len(op.Shape(x)) > 2 {
		inner = ir.Size(op.Shape(x)[2:])
	}
	l.Call("BatchNormGrad", l.Res(0), l.Res(1), l.Res(2), l.In[batchNormGradDy], x, l.In[batchNormGradScale], inner, l.Float("epsilon"))
	return nil
}

func expandBatchNormGrad(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	dy, x := n.In[batchNormGradDy], n.In[batchNormGradX]
	elem := x.Type.Elem
	axes := op.AllAxes(len(op.Shape(x)))
	if len(axes) > 1 {
		axes = append([]int{0}, axes[2:]...)
	}
	h := b.Op("Mul", dy, perChannel(b, op.CastTo(b, n.In[batchNormGradScale], elem), x))
	dx, unit := normGrad(b, h, x, axes, n.Float("epsilon"), true)
	to := n.In[batchNormGradScale].Type.Elem
	ds := op.CastTo(b, channelSum(b, b.Op("Mul", dy, unit)), to)
	return []*ir.Value{dx, op.ReshapeLike(b, ds, n.In[batchNormGradScale]), op.ReshapeLike(b, op.CastTo(b, channelSum(b, dy), to), n.In[batchNormGradScale])}, nil
}
