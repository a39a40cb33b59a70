package ir

import "strconv"

// FreshSym returns a symbol name that the module does not use yet, made from
// base.
func (m *Module) FreshSym(base string) string {
	if m.syms == nil {
		m.syms = names{}
		m.eachShape(func(d Dim) { d.Syms(func(s string) { m.syms[s] = 1 }) })
	}
	return m.syms.fresh(Ident(base))
}

// FreshName returns a value name that the module does not use yet, made from
// base.
func (m *Module) FreshName(base string) string {
	if m.vals == nil {
		m.vals = names{}
		for _, f := range m.allFuncs() {
			f.Values(func(v *Value) { m.vals[v.Name] = 1 })
			f.reads(func(v *Value) { m.vals[v.Name] = 1 })
		}
	}
	return m.vals.fresh(base)
}

// names are the names in use, each with the first suffix that may be free behind it.
type names map[string]int

// fresh returns a name that is not in use, and uses it: base, or base with the first free suffix.
func (n names) fresh(base string) string {
	name, i := base, n[base]
	for n[name] > 0 {
		name = base + "_" + strconv.Itoa(i)
		i++
	}
	n[name] = 1
	if name != base {
		n[base] = i
	}
	return name
}

func (m *Module) eachShape(f func(d Dim)) {
	for _, fn := range m.allFuncs() {
		fn.Body.Walk(func(n *Node) {
			for _, s := range n.Syms {
				f(Sym(s))
			}
		})
		fn.Values(func(v *Value) {
			for t := &v.Type; t != nil; t = t.Of {
				for _, d := range t.Shape {
					f(d)
				}
			}
			for _, s := range v.ElemSyms {
				if s != "" {
					f(Sym(s))
				}
			}
		})
	}
}

// Ident converts any text into an identifier of letters, digits and underscores that begins with a letter or
// an underscore.
func Ident(s string) string {
	b := make([]byte, 0, len(s)+1)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
			b = append(b, c)
		case c >= '0' && c <= '9':
			if len(b) == 0 {
				b = append(b, '_')
			}
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != '_':
			b = append(b, '_')
		}
	}
	for len(b) > 1 && b[len(b)-1] == '_' {
		b = b[:len(b)-1]
	}
	if len(b) == 0 {
		return "_"
	}
	return string(b)
}

// FromData reports whether d depends on the content of a tensor. Then it may be negative, unlike the size of
// an axis.
func (m *Module) FromData(d Dim) bool {
	found := false
	d.Syms(func(s string) { found = found || m.data[s] })
	return found
}

// ReadElems makes the n elements of an integer tensor symbols, which are bound where the tensor is computed.
func (m *Module) ReadElems(v *Value, n int) {
	v.Elems, v.ElemSyms = make([]Dim, n), make([]string, n)
	for k := range n {
		s := m.FreshSym(v.Name + "_" + strconv.Itoa(k))
		m.fromData(s)
		v.Elems[k], v.ElemSyms[k] = Sym(s), s
	}
}

// fromData records that a symbol stands for an element of a tensor.
func (m *Module) fromData(sym string) {
	if m.data == nil {
		m.data = map[string]bool{}
	}
	m.data[sym] = true
}

// allFuncs returns the functions of the module and those of its training.
func (m *Module) allFuncs() []*Func {
	out := m.AllFuncs()
	for _, t := range m.Training {
		for _, f := range []*Func{t.Algorithm, t.Init} {
			if f != nil {
				out = append(out, f)
			}
		}
	}
	return out
}
