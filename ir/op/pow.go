package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Pow is x to the power of y with numpy's broadcasting, in the type of x.
//
// https://onnx.ai/onnx/operators/onnx__Pow.html
var Pow = &Op{
	Name:    "Pow",
	Since:   []int{1, 7, 12, 13, 15},
	In:      Two,
	Out:     One,
	Infer:   inferPow,
	Upgrade: upgradeBroadcast,
	Lower:   binary("Pow"),
	Expand:  expandPow,
	Expands: func(n *ir.Node) bool { return n.In[0].Type.Elem != n.In[1].Type.Elem },
	InPlace: true,
	Widen:   true,
}

func inferPow(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	y, err := c.Tensor(1)
	if err != nil {
		return err
	}
	for i := range c.In {
		if err := numbers.check(c, i); err != nil {
			return err
		}
	}
	shape, err := Broadcast(x.Shape, y.Shape)
	c.OutTensor(0, x.Elem, shape...)
	return err
}

// expandPow brings the exponent to the type of the base; where that would lose
// a fraction, both go through float64.
func expandPow(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x, y := n.In[0], n.In[1]
	if !floats.has(x.Type.Elem) && floats.has(y.Type.Elem) {
		p := b.Op("Pow", Cast(b, x, tensor.Float64), Cast(b, y, tensor.Float64))
		return []*ir.Value{Cast(b, p, x.Type.Elem)}, nil
	}
	return []*ir.Value{b.Op("Pow", x, Cast(b, y, x.Type.Elem))}, nil
}
