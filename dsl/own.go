package dsl

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Component is a slot for the author's own operators: the methods of a Go type.
type Component struct {
	Name string
	Bind Binding
	at   *slot
}

func (s *Component) parts() (string, *string, *Binding, **slot) {
	return "component", &s.Name, &s.Bind, &s.at
}

// Call calls a method of the component with one output, of the given type.
func (s Component) Call(g *Graph, method string, out Type, in ...Value) Value {
	return s.CallN(g, method, []Type{out}, in...)[0]
}

// CallN calls a method of the component with an output of each given type.
func (s Component) CallN(g *Graph, method string, outs []Type, in ...Value) []Value {
	return g.ownCall(&s, peer.ComponentCall, method, outs, in)
}

func (g *Graph) ownCall(f slotField, o *op.Op, method string, outs []Type, in []Value) []Value {
	if ir.Ident(method) != method || method[0] < 'A' || method[0] > 'Z' {
		g.r.fail("Call: method %q, want an exported name", method)
		return g.bad(len(outs))
	}
	names := make([]string, len(outs))
	opts := make([]CallOption, len(outs))
	for i, t := range outs {
		names[i], opts[i] = fmt.Sprintf("%s_%d", method, i), t
	}
	return g.call(f, o, names, attrs("method", method), opts, in...)
}
