package ir

import (
	"fmt"
	"strconv"
)

// signature reads a region's parameters and results.
func (p *parser) signature(r *Region) {
	p.expect("(")
	p.list(")", func() { r.Params = append(r.Params, p.def()) })
	p.expect("->")
	p.expect("(")
	p.list(")", func() { r.Results = append(r.Results, p.use()) })
}

// body reads statements up to the closing brace.
func (p *parser) body(r *Region) {
	p.nest(func() {
		for p.err == nil && !p.accept("}") {
			second := p.ahead(1)
			switch {
			case p.is("const") && second.kind == tokValue:
				p.next()
				p.constant()
			case p.is("state") && second.kind == tokValue:
				if r != p.f.Body {
					p.failf(p.peek(), "found state, which belongs to the function itself")
				}
				p.next()
				p.state()
			default:
				r.Nodes = append(r.Nodes, p.node())
			}
		}
	})
}

func (p *parser) node() *Node {
	n := &Node{}
	what := `a node or "}"`
	if p.peek().kind == tokValue || p.is("_") {
		p.outs(n)
		what = "an operator"
	}
	if p.is("call") && (p.ahead(1).kind == tokName || p.ahead(1).kind == tokString) {
		p.next()
		n.Local = true
	}
	n.Domain, n.Op = p.qualified(what)
	p.expect("(")
	p.list(")", func() { n.In = append(n.In, p.use()) })
	if p.is("{") {
		n.Attrs = p.attrs()
	}
	if p.accept(":") {
		p.outTypes(n)
	}
	n.Version = p.m.opset(p.f, n.Domain)
	n.Name = n.defaultName()
	for p.clause(n) {
	}
	for p.atRegion() {
		r := &Region{Name: p.next().text}
		p.signature(r)
		p.expect("{")
		p.body(r)
		n.Regions = append(n.Regions, r)
	}
	return n
}

// outs reads the outputs of n and the equals sign.
func (p *parser) outs(n *Node) {
	for p.err == nil {
		var v *Value
		if !p.accept("_") {
			v = p.newValue()
			v.Def = n
		}
		n.Out = append(n.Out, v)
		if !p.accept(",") {
			p.expect("=")
			return
		}
	}
}

// outTypes reads a type for each output that is not omitted.
func (p *parser) outTypes(n *Node) {
	first := true
	for _, v := range n.Out {
		if v == nil {
			continue
		}
		if !first {
			p.expect(",")
		}
		first = false
		p.typed(v)
	}
	if first {
		p.failf(p.peek(), "%s has no output that could have a type", n)
	}
}

// clause reads one optional clause of n. It reports whether there was one.
func (p *parser) clause(n *Node) bool {
	t, second := p.peek(), p.ahead(1)
	switch {
	case p.is("syms") && second.kind == tokPunct && second.text == "[":
		p.next()
		p.next()
		p.list("]", func() { n.Syms = append(n.Syms, p.name("a symbol")) })
	case p.is("overload") && second.kind == tokString:
		p.next()
		n.Over = p.str()
	case p.is("name") && second.kind == tokString:
		p.next()
		n.Name = p.str()
	case p.is("at") && second.kind == tokString:
		p.next()
		n.Pos = p.str()
	case p.is("@"):
		p.next()
		n.Class = p.name("a class")
	case isVersion(t) && (second.kind != tokPunct || second.text != "(" && second.text != ":"):
		p.next()
		n.Version, _ = strconv.Atoi(t.text[1:]) // isVersion has checked the digits
	default:
		return false
	}
	return true
}

// isVersion reports whether t is an operator set version, like v13.
func isVersion(t token) bool {
	if t.kind != tokName || t.text[0] != 'v' {
		return false
	}
	v, err := strconv.Atoi(t.text[1:])
	return err == nil && t.text == fmt.Sprint("v", v)
}

// atRegion reports whether a region begins here: a name, parameters and an
// arrow. A node without outputs has no arrow.
func (p *parser) atRegion() bool {
	if k := p.peek().kind; k != tokName && k != tokString {
		return false
	}
	if t := p.ahead(1); t.kind != tokPunct || t.text != "(" {
		return false
	}
	open := 0
	for i := 1; ; i++ {
		t := p.ahead(i)
		switch {
		case t.kind == tokEOF || t.kind == tokBad:
			return false
		case t.kind != tokPunct:
		case t.text == "(":
			open++
		case t.text == ")":
			if open--; open == 0 {
				after := p.ahead(i + 1)
				return after.kind == tokPunct && after.text == "->"
			}
		}
	}
}
