package ir

import (
	"fmt"
	"strconv"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// typ reads a type as [Type.String] prints it.
func (p *parser) typ() (t Type) {
	p.nest(func() { t = p.oneType() })
	return t
}

func (p *parser) oneType() Type {
	at := p.peek()
	switch {
	case p.accept("?"):
		return Type{}
	case p.accept("!"):
		return Type{Kind: Opaque, Name: p.name("the name of a type")}
	case p.accept("seq"):
		return SequenceOf(p.content())
	case p.accept("optional"):
		return OptionalOf(p.content())
	case p.accept("anyrank"):
		return AnyRankOf(p.content().Elem)
	case p.accept("map"):
		return p.mapType()
	}
	t := Type{}
	if !p.accept("undefined") {
		ok := false
		if t.Elem, ok = tensor.ParseDType(at.text); !ok || at.kind != tokName {
			p.want("a type")
			return t
		}
		p.next()
	}
	p.expect("[")
	if p.accept("?") {
		p.expect("]")
		return t
	}
	t.Ranked = true
	p.list("]", func() { t.Shape = append(t.Shape, p.dim()) })
	return t
}

func (p *parser) content() Type {
	p.expect("(")
	t := p.typ()
	p.expect(")")
	return t
}

// mapType reads the rest of a map's type: (string,float32[]).
func (p *parser) mapType() Type {
	p.expect("(")
	key, ok := tensor.ParseDType(p.peek().text)
	if !ok {
		p.want("the type of a map's keys")
		return Type{}
	}
	p.next()
	p.expect(",")
	t := p.typ()
	p.expect(")")
	return MapOf(key, t)
}

// maxTerms and maxFactors limit dims, as products of sums grow fast.
const (
	maxTerms   = 256
	maxFactors = 64
)

// dim reads a sum as [Dim.String] prints it: 2*n+1, floordiv(n,2)-m.
func (p *parser) dim() (d Dim) {
	p.nest(func() {
		d = p.term()
		for p.err == nil {
			switch {
			case p.accept("+"):
				d = d.Add(p.term())
			case p.is("-"):
				d = d.Add(p.term())
			default:
				return
			}
			p.bounded(d)
		}
	})
	return d
}

// term reads a product, optionally with a sign.
func (p *parser) term() Dim {
	sign := ""
	if p.accept("-") {
		sign = "-"
	}
	d := p.factor(sign)
	for p.accept("*") {
		e := p.factor("")
		if len(d.terms)*len(e.terms) > maxTerms*maxFactors {
			p.failf(p.peek(), "dimension is too long")
			return d
		}
		d = d.Mul(e)
		p.bounded(d)
	}
	return d
}

func (p *parser) bounded(d Dim) {
	ok := len(d.terms) <= maxTerms && !d.TooLong()
	for _, t := range d.terms {
		ok = ok && len(t.Factors) <= maxFactors
	}
	if !ok {
		p.failf(p.peek(), "dimension is too long")
	}
}

// dimFuncs are the functions that may occur in dims.
var dimFuncs = map[string]func(a, b Dim) Dim{
	"floordiv": Dim.Div,
	"mod":      Dim.Mod,
	"max":      Dim.Max,
	"min":      Dim.Min,
	"bcast":    Dim.Bcast,
	"mul":      Dim.Mul,
}

func (p *parser) factor(sign string) Dim {
	t := p.peek()
	if t.kind == tokNumber {
		n, err := strconv.Atoi(sign + p.next().text)
		if err != nil {
			p.failf(t, "found %s, want an integer", t)
		}
		return C(n)
	}
	var d Dim
	if second := p.ahead(1); t.kind == tokName && second.kind == tokPunct && second.text == "(" {
		d = p.call()
	} else {
		d = Sym(p.name("a dimension"))
	}
	if sign != "" {
		d = d.Mul(C(-1))
	}
	return d
}

func (p *parser) call() Dim {
	f := dimFuncs[p.peek().text]
	if f == nil {
		p.want("floordiv, mod, max, min, bcast or mul")
		return Dim{}
	}
	p.next()
	p.expect("(")
	a := p.dim()
	p.expect(",")
	b := p.dim()
	p.expect(")")
	if p.err != nil {
		return Dim{}
	}
	d := f(a, b)
	p.bounded(d) // a product has copies of its factors, and products nest
	return d
}

// ParseTypes reads types as [Type.String] prints them, separated by commas.
func ParseTypes(text string) ([]Type, error) {
	p := &parser{file: strconv.Quote(text), toks: lex(text)}
	var out []Type
	for p.err == nil {
		out = append(out, p.typ())
		if p.peek().kind == tokEOF {
			break
		}
		p.expect(",")
	}
	if p.err != nil {
		return nil, p.err
	}
	return out, nil
}

// ParseType reads one type.
func ParseType(text string) (Type, error) {
	ts, err := ParseTypes(text)
	if err == nil && len(ts) != 1 {
		err = fmt.Errorf("%q is %d types, want one", text, len(ts))
	}
	if err != nil {
		return Type{}, err
	}
	return ts[0], nil
}
