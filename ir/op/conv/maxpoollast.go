package conv

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// MaxPoolLast is [MaxPool] of float32, or of bytes, with the channels last.
var MaxPoolLast = &op.Op{
	Name:    "MaxPoolLast",
	Domain:  op.Own,
	Since:   []int{1},
	Attrs:   op.NewestAttrs(maxPoolAttrs),
	Inputs:  []op.Port{{Name: "X"}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferPoolLast,
	Lower:   lowerMaxPoolLast,
	Stops:   op.StopAfterGradients,
}

func lowerMaxPoolLast(l *op.Lowering) error {
	x := op.Shape(l.In[op.X])
	w, err := poolOf(l.Node, channelsFirst(x))
	kernel := "MaxPoolLast32"
	if elem.Bytes.Has(l.In[op.X].Type.Elem) {
		kernel = "MaxPoolLast8"
	}
	l.Call(kernel, l.Out[0], l.In[op.X], x[0], x[len(x)-1], w.arg())
	return err
}
