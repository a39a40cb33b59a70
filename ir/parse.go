package ir

import (
	"fmt"
	"maps"
	"strconv"
)

// Parse reads the text form that [Print] writes. Its errors have the form
//
//	mlp.ir:7:12: found "}", want a value
//
// where name is the given name. Parse checks that each value is defined in the function, and defined once;
// [Verify] checks everything else.
//
// The content of an elided constant is lost: it is read as zeros, and Print prints its hash again. A node
// without a version has the module's version, and a node without a name that of its first output.
func Parse(name, text string) (*Module, error) {
	p := &parser{file: name, toks: lex(text)}
	m := p.module()
	if p.err != nil {
		return nil, p.err
	}
	return m, nil
}

// maxDepth limits the nesting of regions, types and dims.
const maxDepth = 100

// parser reads tokens in sequence. After an error it stays at the end, so that every loop terminates.
type parser struct {
	file  string
	toks  []token
	pos   int
	depth int
	err   error

	m      *Module
	f      *Func
	scope  map[string]*local
	main   map[string]*local // the scope of the main function
	locals []*local          // in the order of their first mention
	zeros  int               // total bytes of elided constants
}

// local is a value of the function being read.
type local struct {
	*Value
	first   token // its first mention
	defined bool
}

func (p *parser) peek() token { return p.ahead(0) }

// ahead returns the i-th token after the next one.
func (p *parser) ahead(i int) token {
	if p.err != nil || p.pos+i >= len(p.toks) {
		return p.toks[len(p.toks)-1]
	}
	return p.toks[p.pos+i]
}

func (p *parser) next() token {
	t := p.peek()
	if p.err == nil && p.pos < len(p.toks)-1 {
		p.pos++
	}
	return t
}

// failf reports an error at t. Only the first error is kept.
func (p *parser) failf(t token, format string, args ...any) {
	if p.err != nil {
		return
	}
	p.err = fmt.Errorf("%s:%d:%d: %s", p.file, t.line, t.col, fmt.Sprintf(format, args...))
	last := &p.toks[len(p.toks)-1]
	last.kind = tokEOF
}

// want reports that the next token is not what.
func (p *parser) want(what string) {
	t := p.peek()
	p.failf(t, "found %s, want %s", t, what)
}

func (p *parser) is(text string) bool {
	t := p.peek()
	return (t.kind == tokPunct || t.kind == tokName) && t.text == text
}

// accept takes the next token if it is text.
func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.want(strconv.Quote(text))
	}
}

// nest bounds the depth of recursion around f.
func (p *parser) nest(f func()) {
	if p.depth++; p.depth > maxDepth {
		p.failf(p.peek(), "nested deeper than %d", maxDepth)
	}
	if p.err == nil {
		f()
	}
	p.depth--
}

// list reads items separated by commas up to and including the token end. A comma may follow the last item.
func (p *parser) list(end string, item func()) {
	for p.err == nil && !p.accept(end) {
		item()
		if !p.is(end) && !p.accept(",") {
			p.want(fmt.Sprintf(`"," or %q`, end))
		}
	}
}

// name returns a bare or quoted name.
func (p *parser) name(what string) string {
	if k := p.peek().kind; k != tokName && k != tokString {
		p.want(what)
	}
	return p.next().text
}

func (p *parser) str() string {
	if p.peek().kind != tokString {
		p.want("a string")
	}
	return p.next().text
}

func (p *parser) int() int {
	t := p.peek()
	if t.kind != tokNumber {
		p.want("a number")
		return 0
	}
	n, err := strconv.Atoi(p.next().text)
	if err != nil {
		p.failf(t, "found %s, want an integer", t)
	}
	return n
}

func (p *parser) module() *Module {
	p.expect("module")
	p.m = &Module{Name: p.str()}
	for {
		switch {
		case p.accept("file"):
			p.m.File = p.str()
		case p.accept("opset"):
			p.m.Opsets = p.opsets()
		case p.accept("meta"):
			k := p.str()
			p.expect("=")
			p.m.Meta = append(p.m.Meta, Metadata{k, p.str()})
		default:
			p.funcs()
			return p.m
		}
	}
}

func (p *parser) funcs() {
	if !p.is("func") {
		p.want(`"func"`)
	}
	for p.accept("func") {
		f := p.fn(nil)
		if p.m.Main == nil {
			p.m.Main, p.main = f, p.scope
			continue
		}
		p.m.Funcs = append(p.m.Funcs, f)
	}
	for p.accept("training") {
		p.m.Training = append(p.m.Training, p.training())
	}
	if p.peek().kind != tokEOF {
		p.want(`"func", "training" or the end`)
	}
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

// qualified reads a name, optionally preceded by a domain.
func (p *parser) qualified(what string) (domain, name string) {
	name = p.name(what)
	if p.accept(":") {
		return name, p.name(what)
	}
	return "", name
}

// fn reads a function, which may read the values of outer.
func (p *parser) fn(outer map[string]*local) *Func {
	f := &Func{}
	p.f, p.scope, p.locals = f, map[string]*local{}, nil
	maps.Copy(p.scope, outer)
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

// local returns the value with the name t.
func (p *parser) local(t token) *local {
	l := p.scope[t.text]
	if l == nil {
		l = &local{Value: &Value{Name: t.text}, first: t}
		p.scope[t.text] = l
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
