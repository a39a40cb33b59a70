package ir

// fn reads a function, which may read the values of outer.
func (p *parser) fn(outer *scope) *Func {
	f := &Func{}
	p.f, p.scope, p.locals = f, newScope(outer), nil
	p.expect("@")
	f.Domain, f.Name = p.qualified("a function's name")
	f.Body = &Region{}
	p.signature(f.Body)
	for !p.is("{") && p.err == nil {
		switch {
		case p.accept("attrs"):
			p.expect("(")
			p.list(")", func() { f.Attrs = append(f.Attrs, p.name("an attribute's name")) })
		case p.accept("defaults"):
			f.Defaults = p.attrs()
		case p.accept("overload"):
			f.Overload = p.str()
		case p.accept("opset"):
			f.Opsets = p.opsets()
		default:
			p.want(`"{"`)
		}
	}
	p.expect("{")
	p.body(f.Body)
	for _, l := range p.locals {
		if !l.defined {
			p.failf(l.first, "%s is not defined", l.first)
		}
	}
	return f
}

// opsets reads a list of versions. Each is preceded by its domain, except that of ONNX's own domain: 22,
// ai.onnx.ml 3.
func (p *parser) opsets() map[string]int {
	sets := map[string]int{}
	for p.err == nil {
		t := p.peek()
		domain := ""
		if t.kind != tokNumber {
			domain = p.name("a version or a domain")
		}
		if _, ok := sets[domain]; ok {
			p.failf(t, "two versions for domain %q", domain)
		}
		sets[domain] = p.int()
		if !p.accept(",") {
			break
		}
	}
	return sets
}
