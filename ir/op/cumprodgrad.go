package op

// CumProdGrad is the gradient of a [CumProd]. Its inputs are dy and those of the
// operator.
var CumProdGrad = &Op{
	Name:   "CumProdGrad",
	Domain: Own,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "exclusive", Kind: Int, Default: 0},
		{Name: "reverse", Kind: Int, Default: 0},
	},
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "x", Like: "dy"}, {Name: "axis", Types: indices}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   like(1),
	Lower:   lowerCumProdGrad,
	Widen:   true,
	Stops:   onlyOnce,
}

func lowerCumProdGrad(l *Lowering) error {
	l.Call("CumProdGrad", l.Out[0], l.In[0], l.In[1], l.In[2], Shape(l.In[1]), l.Int("exclusive") != 0, l.Int("reverse") != 0)
	return nil
}
