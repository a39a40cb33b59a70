package ir

import "slices"

// local is a value of the function being read.
type local struct {
	*Value
	first   token // its first mention
	defined bool
}

// scope holds the values of a function by name. Those of a function around it are looked up there: a text may have
// many functions that read the values of a large one.
type scope struct {
	outer *scope
	names map[string]*local
}

func newScope(outer *scope) *scope { return &scope{outer, map[string]*local{}} }

// lookup returns the value with the given name, or nil.
func (s *scope) lookup(name string) *local {
	for ; s != nil; s = s.outer {
		if l := s.names[name]; l != nil {
			return l
		}
	}
	return nil
}

// local returns the value with the name t.
func (p *parser) local(t token) *local {
	l := p.scope.lookup(t.text)
	if l == nil {
		l = &local{Value: &Value{Name: t.text}, first: t}
		p.scope.names[t.text] = l
		p.locals = append(p.locals, l)
	}
	return l
}

// use reads a use of a value, which may be defined later.
func (p *parser) use() *Value {
	if p.accept("_") {
		return nil
	}
	if p.peek().kind != tokValue {
		p.want("a value")
		return nil
	}
	return p.local(p.next()).Value
}

// newValue reads the definition of a value.
func (p *parser) newValue() *Value {
	t := p.peek()
	if t.kind != tokValue {
		p.want("a value")
		return &Value{}
	}
	l := p.local(p.next())
	if l.defined {
		p.failf(t, "%s is defined twice", t)
	}
	l.defined = true
	return l.Value
}

// def reads the definition of a value and its type.
func (p *parser) def() *Value {
	v := p.newValue()
	if p.accept(":") {
		p.typed(v)
	} else {
		p.doc(v)
	}
	return v
}

// typed reads the type and the known elements of v.
func (p *parser) typed(v *Value) {
	v.Type = p.typ()
	if p.is("=") && p.ahead(1).text == "{" && p.ahead(1).kind == tokPunct {
		p.next()
		p.elems(v)
	}
	p.doc(v)
}

func (p *parser) doc(v *Value) {
	if p.is("doc") && p.ahead(1).kind == tokString {
		p.next()
		v.Doc = p.str()
	}
}

// elems reads the known elements of v: {batch, let n, 3}.
func (p *parser) elems(v *Value) {
	p.expect("{")
	v.Elems = []Dim{}
	var syms []string
	p.list("}", func() {
		sym := ""
		if k := p.ahead(1).kind; p.is("let") && (k == tokName || k == tokString) {
			p.next()
			sym = p.name("a symbol")
			v.Elems = append(v.Elems, Sym(sym))
			p.m.fromData(sym)
		} else {
			v.Elems = append(v.Elems, p.dim())
		}
		syms = append(syms, sym)
	})
	if slices.ContainsFunc(syms, func(s string) bool { return s != "" }) {
		v.ElemSyms = syms
	}
}

func (p *parser) constant() {
	v := p.newValue()
	if p.accept(":") {
		v.Type = p.typ()
	}
	p.expect("=")
	v.Const = p.tensor(v.Type)
	if v.Const != nil && v.Type.Equal(Type{}) {
		v.Type = tensorType(v.Const)
	}
	p.doc(v)
}

func (p *parser) state() {
	s := &State{Param: p.def()}
	s.Kind = StateKind(p.name("a kind of state"))
	if p.accept("=") {
		s.Init = p.tensor(s.Param.Type)
	}
	p.expect("->")
	s.Next = p.use()
	p.f.State = append(p.f.State, s)
}
