package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// tokenKind is a kind of token of the text form.
type tokenKind uint8

const (
	tokEOF    tokenKind = iota
	tokName             // letters, digits, _ and dots: Gemm, ai.onnx.ml, float32
	tokNumber           // begins with a digit
	tokString           // "text"
	tokValue            // %x, %"a b"
	tokElided           // <sha256:0123456789ab 4096 elements>
	tokPunct            // one character, or ->
	tokBad              // anything else; text is the error
)

// token is one word of the text form.
type token struct {
	kind      tokenKind
	text      string // without quotes, % and the like
	line, col int    // from 1, in bytes
}

// String returns the token in messages.
func (t token) String() string {
	switch t.kind {
	case tokEOF:
		return "the end"
	case tokString:
		return "string " + strconv.Quote(t.text)
	case tokBad:
		return t.text
	case tokValue:
		return valueText(&Value{Name: t.text})
	case tokElided:
		return "<" + t.text + ">"
	}
	return strconv.Quote(t.text)
}

type lexer struct {
	text      string
	pos       int
	line, col int // of pos
}

// lex splits a text into tokens. The last one is tokEOF, or tokBad.
func lex(text string) []token {
	l := &lexer{text: text, line: 1, col: 1}
	var out []token
	for {
		l.space()
		t := token{line: l.line, col: l.col}
		l.token(&t)
		out = append(out, t)
		if t.kind == tokEOF || t.kind == tokBad {
			return out
		}
	}
}

// peek returns the byte at offset i, or 0 after the end.
func (l *lexer) peek(i int) byte {
	if l.pos+i < len(l.text) {
		return l.text[l.pos+i]
	}
	return 0
}

// take returns the next n bytes, which contain no line end.
func (l *lexer) take(n int) string {
	s := l.text[l.pos : l.pos+n]
	l.pos += n
	l.col += n
	return s
}

// run returns the number of bytes from offset i on that satisfy f.
func (l *lexer) run(i int, f func(c byte) bool) int {
	n := 0
	for l.pos+i+n < len(l.text) && f(l.text[l.pos+i+n]) {
		n++
	}
	return n
}

// space skips white space and comments, which begin with //.
func (l *lexer) space() {
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == '\n':
			l.pos++
			l.line++
			l.col = 1
		case c == ' ' || c == '\t' || c == '\r':
			l.take(1)
		case c == '/' && l.peek(1) == '/':
			l.take(l.run(0, func(c byte) bool { return c != '\n' }))
		default:
			return
		}
	}
}

func (l *lexer) token(t *token) {
	c := l.peek(0)
	switch {
	case l.pos == len(l.text):
		t.kind = tokEOF
	case c == '"':
		l.quoted(t, tokString)
	case c == '%' && l.peek(1) == '"':
		l.take(1)
		l.quoted(t, tokValue)
	case c == '%':
		l.take(1)
		n := l.run(0, valueByte)
		for n > 0 && trailingByte(l.peek(n-1)) {
			n--
		}
		t.kind, t.text = tokValue, l.take(n)
		if n == 0 {
			t.kind, t.text = tokBad, "% without a name"
		}
	case c >= '0' && c <= '9':
		t.kind, t.text = tokNumber, l.take(l.number())
	case nameByte(c) && c != '.':
		t.kind, t.text = tokName, l.take(l.run(0, nameByte))
	case c == '<':
		n := l.run(0, func(c byte) bool { return c != '>' && c != '\n' })
		if l.peek(n) != '>' {
			t.kind, t.text = tokBad, "< without >"
			return
		}
		t.kind, t.text = tokElided, strings.Trim(l.take(n+1), "<>")
	case c == '-' && l.peek(1) == '>':
		t.kind, t.text = tokPunct, l.take(2)
	case strings.IndexByte("()[]{},=:+*-@$!?", c) >= 0:
		t.kind, t.text = tokPunct, l.take(1)
	default:
		t.kind, t.text = tokBad, fmt.Sprintf("character %q", []rune(l.text[l.pos:min(len(l.text), l.pos+4)])[0])
	}
}

// number returns the length of the number at the current position: digits, letters and dots, and a sign after
// an e.
func (l *lexer) number() int {
	n := l.run(0, nameByte)
	if c := l.peek(n - 1); (c == 'e' || c == 'E') && (l.peek(n) == '+' || l.peek(n) == '-') {
		n++
		n += l.run(n, nameByte)
	}
	return n
}

// quoted reads a string that is quoted as in Go.
func (l *lexer) quoted(t *token, kind tokenKind) {
	q, err := strconv.QuotedPrefix(l.text[l.pos:])
	if err != nil || q[0] != '"' {
		t.kind, t.text = tokBad, "string that does not end, or has a bad escape"
		return
	}
	t.kind = kind
	t.text, _ = strconv.Unquote(l.take(len(q))) // a quoted prefix can be unquoted
}
