package ir

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Parse reads the text form that [Print] writes. Its errors are
//
//	mlp.ir:7:12: found "}", want a value
//
// with name for the place. Parse checks that what is read is defined somewhere
// in the function, and that nothing is defined twice; all else is for [Verify].
//
// The content of an elided constant is lost: it is read as zeros, and Print
// gives its hash again. A node without a version has the module's, a node
// without a name that of its first output.
func Parse(name, text string) (*Module, error) {
	p := &parser{file: name, toks: lex(text)}
	m := p.module()
	if p.err != nil {
		return nil, p.err
	}
	return m, nil
}

// maxDepth bounds how deep regions, types and dims may be nested.
const maxDepth = 100

// parser reads tokens one after the other. After an error it stands at the end
// for good, so that every loop comes to its own.
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
	locals []*local          // in the order in which they were first named
	zeros  int               // bytes of elided constants
}

// local is a value of the function that is being read.
type local struct {
	*Value
	first   token // where it was first named
	defined bool
}

func (p *parser) peek() token { return p.ahead(0) }

// ahead is the i-th token after the next one.
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

// failf reports an error at t. Only the first one counts.
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

// list reads items separated by commas up to the end, which it takes. A comma
// may follow the last item.
func (p *parser) list(end string, item func()) {
	for p.err == nil && !p.accept(end) {
		item()
		if !p.is(end) && !p.accept(",") {
			p.want(fmt.Sprintf(`"," or %q`, end))
		}
	}
}

// name is a bare or quoted name.
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

// training reads what [Training] holds. The algorithm reads the values of the
// main function, and goes before the bindings that read its own.
func (p *parser) training() *Training {
	t := &Training{}
	algorithm, init := maps.Clone(p.main), map[string]*local{}
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

// binding is %to = %from, which are both defined already.
func (p *parser) binding(to, from map[string]*local) Binding {
	b := Binding{To: p.known(to)}
	p.expect("=")
	b.From = p.known(from)
	return b
}

func (p *parser) known(scope map[string]*local) *Value {
	t := p.peek()
	if t.kind != tokValue {
		p.want("a value")
		return nil
	}
	l := scope[p.next().text]
	if l == nil {
		p.failf(t, "%s is not defined", t)
		return nil
	}
	return l.Value
}

// opsets is a list of versions, each but that of ONNX's own domain after a
// domain: 22, ai.onnx.ml 3.
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

// qualified is a name, perhaps after a domain.
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

// local is the value that t names.
func (p *parser) local(t token) *local {
	l := p.scope[t.text]
	if l == nil {
		l = &local{Value: &Value{Name: t.text}, first: t}
		p.scope[t.text] = l
		p.locals = append(p.locals, l)
	}
	return l
}

// use is a value that is read; it may be defined later.
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

// newValue is a value that is defined here.
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

// def is a value that is defined here, with its type.
func (p *parser) def() *Value {
	v := p.newValue()
	if p.accept(":") {
		p.typed(v)
	} else {
		p.doc(v)
	}
	return v
}

// typed is what is known of v.
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

// outs reads the values that n defines, and the equals sign.
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

// outTypes reads a type for each output that is not left out.
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

// clause reads one more thing about n, if there is one.
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
		n.Version, _ = strconv.Atoi(t.text[1:]) // isVersion says that it is one
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

// elems is what is known of v's content: {batch, let n, 3}.
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
