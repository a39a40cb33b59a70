package ir

// funcKey is what a call names a function by.
type funcKey struct{ domain, name, overload string }

func keyOf(f *Func) funcKey { return funcKey{f.Domain, f.Name, f.Overload} }

// Callees finds the functions of a module that its nodes call.
type Callees map[funcKey]*Func

// Callees returns the index of the functions that the module has now.
func (m *Module) Callees() Callees {
	c := make(Callees, len(m.Funcs))
	for _, f := range m.Funcs {
		c[keyOf(f)] = f
	}
	return c
}

// Of returns the function that n calls, or nil if n is no call, or the module has none of that name.
func (c Callees) Of(n *Node) *Func {
	if !n.Local {
		return nil
	}
	return c[funcKey{n.Domain, n.Op, n.Over}]
}
