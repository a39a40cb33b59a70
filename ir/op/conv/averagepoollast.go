package conv

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// AveragePoolLast is [AveragePool] of float32 with the channels last.
var AveragePoolLast = &op.Op{
	Name:    "AveragePoolLast",
	Domain:  op.Own,
	Since:   []int{1},
	Attrs:   op.NewestAttrs(averagePoolAttrs),
	Inputs:  []op.Port{{Name: "X", Types: elem.Float32s}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferPoolLast,
	Lower:   lowerAveragePoolLast,
	Stops:   op.StopAfterGradients,
}

func lowerAveragePoolLast(l *op.Lowering) error {
	x := op.Shape(l.In[op.X])
	w, err := poolOf(l.Node, channelsFirst(x))
	l.Call("AveragePoolLast32", l.Out[0], l.In[op.X], x[0], x[len(x)-1], l.Int("count_include_pad") != 0, w.arg())
	return err
}
