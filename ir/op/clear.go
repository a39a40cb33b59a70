package op

// Clear makes its input 0, in place.
var Clear = &Op{
	Name:    "Clear",
	Domain:  Own,
	Since:   []int{1},
	Inputs:  []Port{{Name: "x", Types: floats}},
	Outputs: []Port{{Name: "y", Like: "x"}},
	Infer: func(c *Infer) error {
		x, err := floatInput(c, 0)
		c.Out(0, x)
		return err
	},
	Updates: []int{0},
	Lower: func(l *Lowering) error {
		l.Call("Fill", l.Out[0], 0.0)
		return nil
	},
	Stops: updates,
}
