package ir

import (
	"maps"
	"slices"
)

// CloneRegion copies r and everything in it, constants included, under new names that begin with prefix.
// Symbols that its nodes and tensors bind are renamed, too; symbols of its parameters' axes are kept. The
// copy reads the same values from outside as r.
func CloneRegion(m *Module, r *Region, prefix string) *Region {
	c := freshCloner(m, prefix)
	c.bind(r.Values, r.Walk)
	return c.region(r)
}

// CloneFunc copies f as [CloneRegion] does. The copy has the name of f and is not yet part of the module.
func CloneFunc(m *Module, f *Func, prefix string) *Func {
	return freshCloner(m, prefix).fn(f)
}

// Clone returns a copy of m with the same names, which can be compiled differently. Tensors and attribute
// values are shared, as they are never modified.
func (m *Module) Clone() *Module {
	out := *m
	out.Opsets = maps.Clone(m.Opsets)
	out.Meta = slices.Clone(m.Meta)
	out.syms, out.vals, out.data = nil, nil, maps.Clone(m.data)
	c := newCloner()
	out.Main = c.fn(m.Main)
	out.Training = nil
	for _, t := range m.Training { // an algorithm reads the values of main
		out.Training = append(out.Training, c.training(t))
	}
	out.Funcs = nil
	for _, f := range m.Funcs {
		out.Funcs = append(out.Funcs, newCloner().fn(f))
	}
	return &out
}

// cloner copies nodes and the values that they define.
type cloner struct {
	name   func(string) string // maps the name of a value to the name of its copy
	sym    func(string) string // maps the name of a symbol to its name in the copy
	values map[*Value]*Value   // the copies
	syms   map[string]string
	dims   map[string]Dim // syms, for [Dim.Subst]
}

// newCloner returns a cloner that keeps all names.
func newCloner() *cloner {
	same := func(s string) string { return s }
	return &cloner{name: same, sym: same, values: map[*Value]*Value{}, syms: map[string]string{}, dims: map[string]Dim{}}
}

// freshCloner returns a cloner that gives new names beginning with prefix.
func freshCloner(m *Module, prefix string) *cloner {
	c := newCloner()
	c.name = func(s string) string { return m.FreshName(prefix + s) }
	c.sym = func(s string) string {
		to := m.FreshSym(prefix + s)
		if m.data[s] {
			m.fromData(to)
		}
		return to
	}
	return c
}

// bind names the symbols that the given values and nodes bind.
func (c *cloner) bind(values func(func(*Value)), walk func(func(*Node))) {
	add := func(s string) {
		if _, ok := c.syms[s]; ok || s == "" {
			return
		}
		c.syms[s] = c.sym(s)
		if c.syms[s] != s {
			c.dims[s] = Sym(c.syms[s])
		}
	}
	values(func(v *Value) {
		for _, s := range v.ElemSyms {
			add(s)
		}
	})
	walk(func(n *Node) {
		for _, s := range n.Syms {
			add(s)
		}
	})
}

func (c *cloner) fn(f *Func) *Func {
	out := *f
	c.bind(f.Values, f.Body.Walk)
	out.State = make([]*State, len(f.State))
	for i, s := range f.State {
		x := *s
		x.Param = c.define(s.Param, nil)
		out.State[i] = &x
	}
	out.Body = c.region(f.Body)
	for i, s := range f.State {
		out.State[i].Next = c.read(s.Next)
	}
	return &out
}

func (c *cloner) training(t *Training) *Training {
	out := &Training{}
	if t.Algorithm != nil {
		out.Algorithm = c.fn(t.Algorithm)
	}
	if t.Init != nil {
		out.Init = c.fn(t.Init)
	}
	for _, b := range t.Updates {
		out.Updates = append(out.Updates, Binding{c.read(b.To), c.read(b.From)})
	}
	for _, b := range t.Inits {
		out.Inits = append(out.Inits, Binding{c.read(b.To), c.read(b.From)})
	}
	return out
}

func (c *cloner) region(r *Region) *Region {
	out := &Region{Name: r.Name}
	for _, p := range r.Params {
		out.Params = append(out.Params, c.define(p, nil))
	}
	for _, n := range r.Nodes {
		out.Nodes = append(out.Nodes, c.node(n))
	}
	for _, v := range r.Results {
		out.Results = append(out.Results, c.read(v))
	}
	return out
}

func (c *cloner) node(n *Node) *Node {
	out := *n
	out.Attrs = slices.Clone(n.Attrs)
	out.Syms = c.symbols(n.Syms)
	out.In = make([]*Value, len(n.In))
	for i, v := range n.In {
		out.In[i] = c.read(v)
	}
	out.Regions = nil
	for _, r := range n.Regions {
		out.Regions = append(out.Regions, c.region(r))
	}
	out.Out = make([]*Value, len(n.Out))
	for i, v := range n.Out {
		out.Out[i] = c.define(v, &out)
	}
	switch {
	case n.Name == n.defaultName():
		out.Name = out.defaultName()
	case n.Name != "":
		out.Name = c.name(n.Name)
	}
	return &out
}

// define returns a copy of a value that is defined here. Its defining node is def.
func (c *cloner) define(v *Value, def *Node) *Value {
	if v == nil {
		return nil
	}
	out := *v
	out.Name, out.Def = c.name(v.Name), def
	out.Type = v.Type.subst(c.dims)
	out.Elems = substShape(v.Elems, c.dims)
	out.ElemSyms = c.symbols(v.ElemSyms)
	c.values[v] = &out
	return &out
}

// read returns the copy of a value, or the value itself if it was defined outside.
func (c *cloner) read(v *Value) *Value {
	if to, ok := c.values[v]; ok {
		return to
	}
	if v.IsConst() {
		return c.define(v, nil)
	}
	return v
}

func (c *cloner) symbols(syms []string) []string {
	out := slices.Clone(syms)
	for i, s := range out {
		if to, ok := c.syms[s]; ok {
			out[i] = to
		}
	}
	return out
}

// subst returns t with symbols replaced by the dims in env.
func (t Type) subst(env map[string]Dim) Type {
	t.Shape = substShape(t.Shape, env)
	if t.Of != nil {
		of := t.Of.subst(env)
		t.Of = &of
	}
	return t
}

func substShape(shape []Dim, env map[string]Dim) []Dim {
	out := slices.Clone(shape)
	if len(env) == 0 {
		return out
	}
	for i, d := range out {
		out[i] = d.Subst(env)
	}
	return out
}
