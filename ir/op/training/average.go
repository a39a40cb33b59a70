package training

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Average].
const (
	averageAverage = iota
	averageX
)

// Average moves a running average towards x, in place:
//
//	a = decay·a + (1-decay)·x
var Average = &op.Op{
	Name:       "Average",
	Domain:     op.Own,
	Since:      []int{1},
	Attrs:      []op.Attr{{Name: "decay", Kind: op.Float, Default: 0.0}},
	Inputs:     []op.Port{averageAverage: {Name: "average", Types: elem.Floats}, averageX: {Name: "x", Like: "average"}},
	Outputs:    []op.Port{{Name: "y", Like: "average"}},
	Infer:      inferInPlace,
	Updates:    []int{averageAverage},
	PerElement: true,
	Lower: func(l *op.Lowering) error {
		l.Call("Blend", l.Out[0], l.Out[0], l.In[averageX], l.Float("decay"))
		return nil
	},
	Stops: op.StopUpdates,
}

// inferInPlace is inference for an output that is input 0, changed by input 1
// of the same type.
func inferInPlace(c *op.Infer) error {
	x, err := trained(c)
	if err != nil {
		return err
	}
	c.Out(0, x)
	return likeParameter(c, 1, ir.TensorOf(x.Elem, x.Shape...))
}
