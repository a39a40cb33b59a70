package ir

// training reads a [Training]. The algorithm reads values of the main function, and precedes the bindings
// that read its own.
func (p *parser) training() *Training {
	t := &Training{}
	algorithm, init := newScope(p.main), newScope(nil)
	p.expect("{")
	for p.err == nil && !p.accept("}") {
		switch {
		case p.accept("algorithm"):
			p.expect("func")
			t.Algorithm = p.fn(p.main)
			algorithm = p.scope
		case p.accept("const"):
			p.scope = algorithm
			p.constant()
		case p.accept("update"):
			t.Updates = append(t.Updates, p.binding(algorithm, algorithm))
		case p.is("init") && p.ahead(1).text == "func":
			p.next()
			p.next()
			t.Init = p.fn(nil)
			init = p.scope
		case p.accept("init"):
			t.Inits = append(t.Inits, p.binding(algorithm, init))
		default:
			p.want("algorithm, const, update, init or \"}\"")
		}
	}
	return t
}

// binding reads %to = %from. Both values are already defined.
func (p *parser) binding(to, from *scope) Binding {
	b := Binding{To: p.known(to)}
	p.expect("=")
	b.From = p.known(from)
	return b
}

func (p *parser) known(s *scope) *Value {
	t := p.peek()
	if t.kind != tokValue {
		p.want("a value")
		return nil
	}
	l := s.lookup(p.next().text)
	if l == nil {
		p.failf(t, "%s is not defined", t)
		return nil
	}
	return l.Value
}
