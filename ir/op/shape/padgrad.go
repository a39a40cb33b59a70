package shape

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [PadGrad].
const (
	padGradDy = iota
	padGradData
	padGradPads
	padGradAxes
)

// PadGrad adds each element of dy to the one from which a [Pad] has taken it. Its inputs are dy, the data,
// which only determine the size, the pads and the axes.
var PadGrad = &op.Op{
	Name:   "PadGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  []op.Attr{{Name: "mode", Kind: op.String, Default: "constant"}},
	Inputs: []op.Port{
		padGradDy:   {Name: "dy", Types: elem.Floats},
		padGradData: {Name: "data", Like: "dy"},
		padGradPads: {Name: "pads", Types: elem.Indices},
		padGradAxes: {Name: "axes", Types: elem.Indices, Optional: true},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferLike(1),
	Grad:    padGradGrad,
	Lower:   lowerPadGrad,
	Widen:   true,
}

// ddy = the gradient, padded
func padGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("Pad", n.Attrs, append([]*ir.Value{dy[0], n.In[padGradPads], nil}, n.In[3:]...)...)}
}

func lowerPadGrad(l *op.Lowering) error {
	x, dy := op.Shape(l.Out[0]), l.In[padGradDy]
	p, err := paddingOf(op.Alike(l.Node, append([]*ir.Value{dy, l.In[padGradPads], nil}, l.In[3:]...)), len(x))
	if err != nil {
		return err
	}
	l.Call("PadGrad", l.Out[0], dy, x, op.Shape(dy), slices.Concat(p.before, p.after), p.axes, padModes[l.Str("mode")])
	return nil
}
