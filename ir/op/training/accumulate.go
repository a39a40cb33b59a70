package training

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Accumulate adds input 1 to input 0, in place.
var Accumulate = &op.Op{
	Name:    "Accumulate",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "sum", Types: elem.Floats}, {Name: "x", Like: "sum"}},
	Outputs: []op.Port{{Name: "y", Like: "sum"}},
	Infer:   inferInPlace,
	Updates: []int{0},
	Lower: func(l *op.Lowering) error {
		l.Call("Add", l.Out[0], l.Out[0], l.In[1])
		return nil
	},
	Stops: op.StopUpdates,
}
