package norm

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// L2Normalization divides the vectors along the last axis by their norm √Σx², or by least where that is greater. Unlike
// [LpNormalization] it leaves vectors of less than that shorter than 1.
var L2Normalization = &op.Op{
	Name:    "L2Normalization",
	Domain:  op.Own,
	Since:   []int{1},
	Attrs:   []op.Attr{{Name: "least", Kind: op.Float, Default: 1e-12}},
	Inputs:  []op.Port{{Name: "x", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "y", Like: "x"}},
	Infer:   inferL2Norm,
	Stops:   op.StopAfterGradients,
	Lower:   lowerL2Norm,
	InPlace: true,
	Widen:   true,
	FLOPs:   op.PerInput(3),
}

func inferL2Norm(c *op.Infer) error {
	x, err := c.FloatTensor(op.X)
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 {
		return fmt.Errorf("input is a scalar, want an axis")
	}
	c.Out(0, x)
	return nil
}

func lowerL2Norm(l *op.Lowering) error {
	shape := op.Shape(l.In[op.X])
	l.Call("L2Norm", l.Out[0], l.In[op.X], ir.Size(shape[len(shape)-1:]), l.Float("least"))
	return nil
}
