package op

// Accumulate adds input 1 to input 0, in place.
var Accumulate = &Op{
	Name:    "Accumulate",
	Domain:  Own,
	Since:   []int{1},
	In:      Two,
	Out:     One,
	Infer:   inferInPlace,
	Updates: []int{0},
	Lower: func(l *Lowering) error {
		l.Call("Add", l.Out[0], l.Out[0], l.In[1])
		return nil
	},
	Stops: updates,
}
