package conv

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// GlobalAveragePoolLast is [GlobalAveragePool] of float32 with the channels
// last.
var GlobalAveragePoolLast = &op.Op{
	Name:    "GlobalAveragePoolLast",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "X", Types: elem.Float32s}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferGlobalPoolLast,
	Lower:   lowerGlobalAveragePoolLast,
	Stops:   op.StopAfterGradients,
}

func lowerGlobalAveragePoolLast(l *op.Lowering) error {
	x := op.Shape(l.In[op.X])
	w, _ := wholeWindow(x)
	l.Call("AveragePoolLast32", l.Out[0], l.In[op.X], x[0], x[len(x)-1], false, w.arg())
	return nil
}
