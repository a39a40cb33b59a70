package op

// Accumulate adds input 1 to input 0, in place.
var Accumulate = &Op{
	Name:    "Accumulate",
	Domain:  Own,
	Since:   []int{1},
	Inputs:  []Port{{Name: "sum", Types: floats}, {Name: "x", Like: "sum"}},
	Outputs: []Port{{Name: "y", Like: "sum"}},
	Infer:   inferInPlace,
	Updates: []int{0},
	Lower: func(l *Lowering) error {
		l.Call("Add", l.Out[0], l.Out[0], l.In[1])
		return nil
	},
	Stops: updates,
}
