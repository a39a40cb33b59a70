// Package ident derives Go identifiers from names in a model. It depends neither on plans nor on the use of
// the identifiers.
package ident

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"unicode"

	"github.com/bbgen/bbgen/ir"
)

// Scope is a set of Go identifiers that are in use.
type Scope struct {
	taken  map[string]bool
	next   map[string]int // the first number that may be free behind an identifier
	locals bool           // they are variables, which would hide predeclared identifiers
}

// NewScope returns a scope with the given identifiers taken.
func NewScope(taken ...string) *Scope {
	s := &Scope{taken: map[string]bool{}, next: map[string]int{}}
	for _, id := range taken {
		s.Take(id)
	}
	return s
}

// NewLocals returns a scope for parameters and variables of a function: in addition to the given identifiers, none of
// them has the name of a type or a function of the language.
func NewLocals(taken ...string) *Scope {
	s := NewScope(taken...)
	s.locals = true
	return s
}

// Take marks an identifier as taken.
func (s *Scope) Take(id string) { s.taken[id] = true }

// Has reports whether an identifier is taken.
func (s *Scope) Has(id string) bool { return s.taken[id] }

// Local returns an unused unexported identifier for a name: layer1ConvWeight for "/layer1/conv.weight".
func (s *Scope) Local(name string) string {
	id := camel(name)
	r := []rune(id)
	r[0] = unicode.ToLower(r[0])
	id = string(r)
	if !unicode.IsLetter(r[0]) {
		id = "v" + id
	}
	if token.IsKeyword(id) || s.locals && types.Universe.Lookup(id) != nil {
		id += "Value"
	}
	return s.unique(id)
}

// Exported returns an unused exported identifier for a name: InputIds for "input_ids".
func (s *Scope) Exported(name string) string {
	r := []rune(camel(name))
	r[0] = unicode.ToUpper(r[0])
	id := string(r)
	if !unicode.IsUpper(r[0]) {
		id = "X" + id
	}
	return s.unique(id)
}

func (s *Scope) unique(id string) string {
	free := id
	for s.Has(free) {
		n := max(s.next[id], 2)
		free, s.next[id] = id+"_"+strconv.Itoa(n), n+1
	}
	s.Take(free)
	return free
}

// camel joins the words of s, with a capital at the beginning of each.
func camel(s string) string {
	words := strings.FieldsFunc(ir.Ident(s), func(r rune) bool { return r == '_' })
	if len(words) == 0 {
		return "_"
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			if last := b.String()[b.Len()-1]; last >= '0' && last <= '9' && w[0] >= '0' && w[0] <= '9' {
				b.WriteByte('_') // conv1_2 is not conv12
			}
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		b.WriteString(w)
	}
	return b.String()
}
