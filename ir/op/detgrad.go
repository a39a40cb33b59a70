package op

// DetGrad is dy times the cofactors of the matrices of x.
var DetGrad = &Op{
	Name:    "DetGrad",
	Domain:  Own,
	Since:   []int{1},
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "x", Like: "dy"}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   gradientOf(inferDet),
	Lower:   lowerDetGrad,
	Widen:   true,
	Stops:   onlyOnce,
}

func lowerDetGrad(l *Lowering) error {
	x := Shape(l.In[1])
	n := x[len(x)-1]
	l.Call("DetGrad", l.Out[0], l.In[0], l.In[1], l.Scratch(l.In[0].Type.Elem, n, n), n)
	return nil
}
