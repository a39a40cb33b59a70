package norm

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// MeanVarianceNormalization normalizes the data to mean 0 and variance 1 along some axes, by default all
// except the channels.
//
// https://onnx.ai/onnx/operators/onnx__MeanVarianceNormalization.html
var MeanVarianceNormalization = &op.Op{
	Name:    "MeanVarianceNormalization",
	Since:   []int{9, 13},
	Attrs:   []op.Attr{{Name: "axes", Kind: op.Ints, Default: []int{0, 2, 3}}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferMVN,
	Expand:  expandMVN,
}

func mvnAxes(n *ir.Node) []int {
	if n.Has("axes") {
		return n.Ints("axes")
	}
	return []int{0, 2, 3}
}

func inferMVN(c *op.Infer) error {
	x, err := c.FloatTensor(op.X)
	if err != nil {
		return err
	}
	for _, a := range mvnAxes(c.Node) {
		if _, err := op.Axis(a, len(x.Shape)); err != nil {
			return err
		}
	}
	c.Out(0, x)
	return nil
}

// y = (x-mean) / (√variance + 1e-9), in float32 at least
func expandMVN(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	elem := n.In[op.X].Type.Elem
	x := op.CastTo(b, n.In[op.X], op.Wide(elem))
	axes := b.Ints(mvnAxes(n)...)
	d := b.Op("Sub", x, b.Op("ReduceMean", x, axes))
	std := b.Op("Sqrt", b.Op("ReduceMean", b.Op("Mul", d, d), axes))
	y := b.Op("Div", d, b.Op("Add", std, b.Scalar(x.Type.Elem, 1e-9)))
	return []*ir.Value{op.CastTo(b, y, elem)}, nil
}
