package ir

// Subst replaces symbols for which env has a value.
func (d Dim) Subst(env map[string]Dim) Dim {
	out := C(0)
	for _, t := range d.terms {
		p := C(t.Coef)
		for _, f := range t.Factors {
			p = p.Mul(f.subst(env))
		}
		out = out.Add(p)
	}
	return out
}

func (f Factor) subst(env map[string]Dim) Dim {
	if f.Func == "" {
		if v, ok := env[f.Sym]; ok {
			return v
		}
		return Sym(f.Sym)
	}
	a, b := f.Args[0].Subst(env), f.Args[1].Subst(env)
	switch f.Func {
	case "max":
		return a.Max(b)
	case "min":
		return a.Min(b)
	case "bcast":
		return a.Bcast(b)
	case "mod":
		return a.Mod(b)
	case "mul":
		return a.Mul(b)
	}
	return a.Div(b)
}
