package dsl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Backend is a slot for an engine of the author's that computes graphs. If no component is bound to it, bbgen
// compiles the graphs itself.
type Backend struct {
	Name string
	Bind Binding
	at   *slot
}

func (s *Backend) parts() (string, *string, *Binding, **slot) {
	return "backend", &s.Name, &s.Bind, &s.at
}

// Run computes a module that contains only operators of ONNX. The component receives its graph as an ONNX
// model, with its constants as initializers. If the component has a method Operators() []string, a module with
// other operators is an error; a component that needs Open to know them returns nil before.
func (s Backend) Run(g *Graph, m Module, in Args) Outputs {
	p := g.r.at()
	if s.at == nil || s.at.bind.isZero() && s.at.bind.err == nil {
		return g.Call(m, in)
	}
	fn := g.callee(m, in, p)
	if fn == nil {
		return Outputs{}
	}
	if _, ok := fn.prepared.(Bootstrapped); ok {
		g.r.failAt(p, "Run: module %s has a Bootstrap, which a backend does not run: call the module, or do that in the Bootstrap of the one that peers run", nameOf(m))
		return Outputs{}
	}
	graph, err := fn.model()
	if err != nil {
		g.r.failAt(p, "Run: module %s: %v", nameOf(m), err)
		return Outputs{}
	}
	names := make([]string, len(fn.outputs))
	types := make([]string, len(fn.outputs))
	for i, o := range fn.outputs {
		names[i], types[i] = o.name, fn.outside(o.ir.Type).String()
	}
	args := make([]Value, len(fn.inputs))
	for i, x := range fn.inputs {
		args[i] = fn.args[x.name]
	}
	a := attrs("graph", tensor.Of(graph, len(graph)), peer.TypesAttr, types)
	values := g.call(&s, peer.BackendRun, names, a, nil, args...)
	s.checkOperators(g, fn, cmp.Or(values[0].class, g.fn.class), p)
	out := Outputs{g: g, module: nameOf(m), values: map[string]Value{}}
	for i, o := range fn.outputs {
		out.values[o.name] = values[min(i, len(values)-1)]
	}
	return out
}

// outside returns the type of an output as the caller of the function sees it: a symbolic size that an input
// also has becomes the size of that input.
func (fn *function) outside(t ir.Type) ir.Type {
	n := &ir.Node{In: fn.f.Body.Params}
	shape := make([]ir.Dim, len(t.Shape))
	for i, d := range t.Shape {
		s, _ := d.Symbol()
		axis, ok := fn.symbolAxis(n, s)
		_, fixed := d.Const()
		switch {
		case fixed:
			shape[i] = d
		case ok:
			shape[i] = axis
		default:
			shape[i] = fn.r.symbol("n")
		}
	}
	t.Shape = shape
	return t
}

// model returns the module as an ONNX model of its own.
func (fn *function) model() ([]byte, error) {
	for _, o := range fn.outputs {
		fn.f.Body.Results = append(fn.f.Body.Results, o.ir)
	}
	m := &ir.Module{Name: fn.f.Name, Main: &ir.Func{Name: "main", Body: fn.f.Body}}
	for _, n := range m.Main.Body.Nodes {
		if n.Domain != "" {
			return nil, fmt.Errorf("%s is for peers, not for a backend (%s)", n.Op, fn.r.long[n.Pos])
		}
	}
	initializers(m.Main.Body)
	oneVersion(m)
	return onnx.Encode(m)
}

// checkOperators reports the operators of a graph that the engine does not have, each once. An engine that finds out when it is
// opened what it has is asked when the peer starts.
func (s Backend) checkOperators(g *Graph, fn *function, class string, p pos) {
	known := s.at.bind.operators
	if len(known) == 0 {
		return
	}
	reported := map[string]bool{}
	fn.f.Body.Walk(func(n *ir.Node) {
		if slices.Contains(known, n.Op) || reported[n.Op] {
			return
		}
		reported[n.Op] = true
		g.r.failAt(p, "Run: node %q (%s, %s): the engine %s in slot %s of class %s has no operator %s, only %s: add it to Operators and Execute, or compute that node outside of Run",
			n.Name, n.Op, g.r.long[n.Pos], s.at.bind.table.Type, s.at.name, class, n.Op, strings.Join(known, ", "))
	})
}
