package op

import "github.com/bbgen/bbgen/ir"

// Average moves a running average, input 0, towards input 1, in place:
//
//	a = decay·a + (1-decay)·x
var Average = &Op{
	Name:    "Average",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   []Attr{{Name: "decay", Kind: Float, Default: 0.0}},
	Inputs:  []Port{{Name: "average", Types: floats}, {Name: "x", Like: "average"}},
	Outputs: []Port{{Name: "y", Like: "average"}},
	Infer:   inferInPlace,
	Updates: []int{0},
	Lower: func(l *Lowering) error {
		l.Call("Blend", l.Out[0], l.Out[0], l.In[1], l.Float("decay"))
		return nil
	},
	Stops: updates,
}

// inferInPlace is inference for an output that is input 0, changed by input 1
// of the same type.
func inferInPlace(c *Infer) error {
	x, err := floatInput(c, 0)
	if err != nil {
		return err
	}
	c.Out(0, x)
	return likeParameter(c, 1, ir.TensorOf(x.Elem, x.Shape...))
}
