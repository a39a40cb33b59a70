package conv

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// GlobalMaxPoolLast is [GlobalMaxPool] of float32 with the channels last.
var GlobalMaxPoolLast = &op.Op{
	Name:    "GlobalMaxPoolLast",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "X", Types: elem.Float32s}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferGlobalPoolLast,
	Lower:   lowerGlobalMaxPoolLast,
	Stops:   op.StopAfterGradients,
}

func lowerGlobalMaxPoolLast(l *op.Lowering) error {
	x := op.Shape(l.In[op.X])
	w, _ := wholeWindow(x)
	l.Call("MaxPoolLast32", l.Out[0], l.In[op.X], x[0], x[len(x)-1], w.arg())
	return nil
}
