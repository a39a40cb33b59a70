package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// PadGrad adds each element of dy to the one that a [Pad] has taken it from. Its
// inputs are dy, the data, of which it takes the size, the pads and the axes.
var PadGrad = &Op{
	Name:   "PadGrad",
	Domain: Own,
	Since:  []int{1},
	Attrs:  []Attr{{Name: "mode", Kind: String, Default: "constant"}},
	Inputs: []Port{
		{Name: "dy", Types: floats},
		{Name: "data", Like: "dy"},
		{Name: "pads", Types: indices},
		{Name: "axes", Types: indices, Optional: true},
	},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   like(1),
	Grad:    padGradGrad,
	Lower:   lowerPadGrad,
	Widen:   true,
}

// ddy = the gradient, padded
func padGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("Pad", n.Attrs, append([]*ir.Value{dy[0], n.In[2], nil}, n.In[3:]...)...)}
}

func lowerPadGrad(l *Lowering) error {
	x, dy := Shape(l.Out[0]), l.In[0]
	p, err := paddingOf(alike(l.Node, append([]*ir.Value{dy, l.In[2], nil}, l.In[3:]...)), len(x))
	if err != nil {
		return err
	}
	l.Call("PadGrad", l.Out[0], dy, x, Shape(dy), slices.Concat(p.before, p.after), p.axes, padModes[l.Str("mode")])
	return nil
}
