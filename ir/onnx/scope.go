package onnx

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// scope holds the names that one graph defines. A name is looked up in the graph that reads it, and then in
// the enclosing ones.
type scope struct {
	outer *scope
	vals  map[string]*ir.Value
}

func newScope(outer *scope) *scope {
	return &scope{outer: outer, vals: map[string]*ir.Value{}}
}

// define adds a name, which must be new in the graph.
func (s *scope) define(name string, v *ir.Value) error {
	if _, ok := s.vals[name]; ok {
		return fmt.Errorf("%q is defined twice", name)
	}
	s.vals[name] = v
	return nil
}

// lookup returns the value of a name, or nil if it is not defined.
func (s *scope) lookup(name string) *ir.Value {
	for ; s != nil; s = s.outer {
		if v := s.vals[name]; v != nil {
			return v
		}
	}
	return nil
}
