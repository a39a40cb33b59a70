package conv

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ReduceMeanLast is [reduce.ReduceMean] of float32 over all spatial axes with the channels last. Unlike that
// of a pool, the mean of no elements is 0.
var ReduceMeanLast = &op.Op{
	Name:    "ReduceMeanLast",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "X", Types: elem.Float32s}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferGlobalPoolLast,
	Lower:   lowerReduceMeanLast,
	Stops:   op.StopAfterGradients,
}

func lowerReduceMeanLast(l *op.Lowering) error {
	x := op.Shape(l.In[op.X])
	w, _ := wholeWindow(x)
	l.Call("ReduceMeanLast32", l.Out[0], l.In[op.X], x[0], x[len(x)-1], w.arg())
	return nil
}
