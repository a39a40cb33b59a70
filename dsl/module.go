package dsl

import (
	"reflect"

	"github.com/bbgen/bbgen/ir/pass"
)

// Module is a part of a program: what peers of a class do, or a piece of it that
// others call. Its type's name is its own, unless it has a method Name. Slots are
// fields of it and have the names of the fields.
type Module interface {
	Body(g *Graph)
}

// Named is a Module that says what it is called, instead of its type.
type Named interface {
	Module
	Name() string
}

// Classed is a root Module that says which class of peers runs it, instead of the
// one with its name in lower case.
type Classed interface {
	Module
	Class() string
}

// Bootstrapped is a Module that has something to do before anything else is let in. It
// has inputs of its own from the host, for which it waits, and the Body begins after it.
// The Bootstrap of a module that others call runs once, as a part of that of the module
// that peers run.
type Bootstrapped interface {
	Module
	Bootstrap(g *Graph)
}

// Program is modules that are compiled together, one for each class of peers.
type Program struct {
	Name    string
	Modules []Module

	// Passes rewrite the program when it is recorded, in order: passes of the
	// author's own, and those of package ir/pass that they build on. Inline, for
	// one, makes one graph of all modules.
	Passes []*pass.Pass
}

// Args are the inputs of a module that is called, by name.
type Args map[string]Value

// Outputs are the outputs of a module that was called.
type Outputs struct {
	g      *Graph
	module string
	values map[string]Value
}

// Output returns the output of the given name.
func (o Outputs) Output(name string) Value {
	v, ok := o.values[name]
	switch {
	case o.g == nil: // the call went wrong
		return Value{&value{bad: true}}
	case !ok:
		return o.g.r.fail("module %s has no output %q", o.module, name)
	}
	return v
}

// nameOf is what a module is called.
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
