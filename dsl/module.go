package dsl

import (
	"reflect"

	"github.com/bbgen/bbgen/ir/pass"
)

// Module is a part of a program: the behavior of a class of peers, or a piece that other modules call. It has
// the name of its type, unless it has a method Name. Slots are its fields and have the names of the fields.
type Module interface {
	Body(g *Graph)
}

// Named is a Module with a name other than its type's.
type Named interface {
	Module
	Name() string
}

// Classed is a root Module with a class name other than its own name in lower case.
type Classed interface {
	Module
	Class() string
}

// Bootstrapped is a Module that must do something before the peer accepts input. Bootstrap waits for its own
// inputs from the host; Body starts after it. The Bootstrap of a called module runs once, as a part of the
// Bootstrap of the root.
type Bootstrapped interface {
	Module
	Bootstrap(g *Graph)
}

// Program is a set of modules that are compiled together, one for each class of peers.
type Program struct {
	Name    string
	Modules []Module

	// Passes rewrite the recorded program, in order. They may be the author's own or from package ir/pass.
	// Inline, for example, merges all modules into one graph.
	Passes []*pass.Pass
}

// isNil reports whether there is no module.
func isNil(m Module) bool {
	v := reflect.ValueOf(m)
	return m == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// nameOf returns the name of a module.
func nameOf(m Module) string {
	if n, ok := m.(Named); ok {
		return n.Name()
	}
	t := reflect.TypeOf(m)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}
