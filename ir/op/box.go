package op

import "github.com/bbgen/bbgen/ir"

// Box gives a tensor a type that says nothing of its rank, as an output needs
// that has one rank or another.
var Box = &Op{
	Name:    "Box",
	Domain:  Own,
	Since:   []int{1},
	Inputs:  []Port{{Name: "x", Types: anyElem}},
	Outputs: []Port{{Name: "y"}},
	Infer: func(c *Infer) error {
		x, err := c.Tensor(0)
		c.Out(0, ir.AnyRankOf(x.Elem))
		return err
	},
	Lower: func(l *Lowering) error {
		l.Call("Box", l.Out[0], l.In[0], Shape(l.In[0]))
		return nil
	},
	Stops: listsOnly,
}

// Boxes is v without a rank in its type.
func Boxes(b *ir.Builder, v *ir.Value) *ir.Value { return own(b, "Box", nil, v) }
