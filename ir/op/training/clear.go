package training

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Clear makes its input 0, in place.
var Clear = &op.Op{
	Name:    "Clear",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "x", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "y", Like: "x"}},
	Infer: func(c *op.Infer) error {
		x, err := trained(c)
		c.Out(0, x)
		return err
	},
	Updates: []int{0},
	Lower: func(l *op.Lowering) error {
		l.Call("Fill", l.Out[0], 0.0)
		return nil
	},
	Stops: op.StopUpdates,
}
