package control

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Require fails the run if its condition differs from the attribute want. The attribute because is the error.
var Require = &op.Op{
	Name:   "Require",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "because", Kind: op.String},
		{Name: "want", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{{Name: "condition", Types: elem.Bools}},
	Infer:  func(c *op.Infer) error { return checkFlag(c.In[op.X], tensor.Bool, "condition") },
	Lower: func(l *op.Lowering) error {
		l.Call("Require", l.In[op.X], l.Int("want") != 0, l.Str("because"))
		return nil
	},
	Effect: true,
	Stops:  op.StopAfterGradients,
}
