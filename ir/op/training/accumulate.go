package training

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Accumulate].
const (
	accumulateSum = iota
	accumulateX
)

// Accumulate adds x to a sum, in place.
var Accumulate = &op.Op{
	Name:    "Accumulate",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{accumulateSum: {Name: "sum", Types: elem.Floats}, accumulateX: {Name: "x", Like: "sum"}},
	Outputs: []op.Port{{Name: "y", Like: "sum"}},
	Infer:   inferInPlace,
	Updates: []int{accumulateSum},
	Lower: func(l *op.Lowering) error {
		l.Call("Add", l.Out[0], l.Out[0], l.In[accumulateX])
		return nil
	},
	Stops: op.StopUpdates,
}
