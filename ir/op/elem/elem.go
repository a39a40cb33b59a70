// Package elem holds the sets of element types that the schemas of operators are written
// with: elem.Floats, elem.Numbers, elem.Any.
package elem

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Set is the element types that an operand may have.
type Set struct {
	name string // as in "want a float"
	bits uint32
}

// Named returns a set under a name that messages can say "want" before.
func Named(name string, types ...tensor.DType) Set {
	s := Set{name: name}
	for _, d := range types {
		s.bits |= 1 << d
	}
	return s
}

// Of returns a set with a name that lists its elements.
func Of(types ...tensor.DType) Set {
	names := make([]string, len(types))
	for i, d := range types {
		names[i] = d.String()
	}
	return Named(strings.Join(names, " or "), types...)
}

// With returns the union of s and t, called by both names.
func (s Set) With(t Set) Set { return s.Or(s.name+" or "+t.name, t) }

// Or returns the union of s and t with a new name.
func (s Set) Or(name string, t Set) Set { return Set{name, s.bits | t.bits} }

// Has reports whether d is of the set.
func (s Set) Has(d tensor.DType) bool { return d.Valid() && s.bits>>d&1 != 0 }

// String returns the name of the set, as in "want a float".
func (s Set) String() string { return s.name }

// Takes reports whether a port of the set accepts t. It only restricts tensors; inference checks other kinds.
func (s Set) Takes(t ir.Type) bool { return t.Kind != ir.Tensor || s.Has(t.Elem) }

// CheckAttr reports whether an attribute names a type of the set.
func (s Set) CheckAttr(attr string, d tensor.DType) error {
	if s.Has(d) {
		return nil
	}
	return fmt.Errorf("%s is %s, want %s", attr, d, s.name)
}
