package ir

import (
	"fmt"
	"strconv"
)

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
	scope  *scope
	main   *scope   // of the main function
	locals []*local // in the order of their first mention
	zeros  int      // total bytes of elided constants
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

// qualified reads a name, optionally preceded by a domain.
func (p *parser) qualified(what string) (domain, name string) {
	name = p.name(what)
	if p.accept(":") {
		return name, p.name(what)
	}
	return "", name
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
