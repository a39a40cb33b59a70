package op

import "github.com/bbgen/bbgen/runtime/tensor"

// Require fails the run if its condition is not what attribute want says; because
// tells what would go wrong.
var Require = &Op{
	Name:   "Require",
	Domain: Own,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "because", Kind: String},
		{Name: "want", Kind: Int, Default: 0},
	},
	Inputs: []Port{{Name: "condition", Types: bools}},
	Infer:  func(c *Infer) error { return checkFlag(c.In[0], tensor.Bool, "condition") },
	Lower: func(l *Lowering) error {
		l.Call("Require", l.In[0], l.Int("want") != 0, l.Str("because"))
		return nil
	},
	Effect: true,
	Stops:  afterGradients,
}
