package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/ir/pass"
)

// Build records a program and returns it as an ONNX ModelProto. If the program is at fault, the error is of
// type [Errors].
func Build(p Program) ([]byte, error) {
	m, err := Record(p)
	if err != nil {
		return nil, err
	}
	return onnx.Encode(m)
}

// Record is like [Build] but returns the graph.
func Record(p Program) (*ir.Module, error) {
	r := newRecorder(p.Name)
	r.program(p)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	r.meta(p)
	oneVersion(r.m)
	for _, f := range r.m.Funcs {
		define(f)
	}
	if err := ir.Verify(r.m); err != nil {
		panic(fmt.Sprintf("BUG: the record of %s: %v", p.Name, err))
	}
	return r.m, rewrite(r.m, p.Passes)
}

// rewrite runs the author's passes. Each must leave a valid graph.
func rewrite(m *ir.Module, passes []*pass.Pass) error {
	for _, p := range passes {
		if err := p.Apply(m); err != nil {
			return fmt.Errorf("pass %s: %w", p.Name, err)
		}
		if err := ir.Verify(m); err != nil {
			return fmt.Errorf("what pass %s has made: %w", p.Name, err)
		}
	}
	return nil
}

func (r *recorder) program(p Program) {
	if p.Name == "" {
		r.failAt(pos{}, "the program has no name")
	}
	if len(p.Modules) == 0 {
		r.failAt(pos{}, "program %s has no modules", p.Name)
	}
	for _, m := range p.Modules {
		r.root(m)
	}
	if len(r.errs) > 0 {
		return // the rest would be a consequence
	}
	r.link()
	for _, fn := range r.roots {
		fn.finish()
	}
	r.needSlots()
	r.checkSlots()
}

// root records a module that peers of a class run.
func (r *recorder) root(m Module) {
	if isNil(m) {
		r.failAt(pos{}, "a module is nil: %T", m)
		return
	}
	name := nameOf(m)
	of := strings.ToLower(name)
	if c, ok := m.(Classed); ok {
		of = c.Class()
	}
	switch {
	case name == "" || ir.Ident(name) != name:
		r.failAt(pos{}, "module %T is called %q, want a name of letters, digits and underscores: give it a method Name", m, name)
		return
	case ir.Ident(of) != of:
		r.failAt(pos{}, "module %s: class %q, want a name of letters, digits and underscores", name, of)
		return
	case slices.ContainsFunc(r.roots, func(fn *function) bool { return fn.class == of }):
		r.failAt(pos{}, "two modules are for class %s: give one a method Class", of)
		return
	}
	m = r.prepare(m, "")
	body := r.record(m, name, of, "", m.Body)
	if b := body.bootstrap(); b != nil {
		r.record(m, name+"__bootstrap", of, peer.PhaseBootstrap, b)
	}
}

// finish turns a root into a function that main calls, and adds its inputs and outputs to main.
func (fn *function) finish() {
	main, body := fn.r.m.Main.Body, fn.f.Body
	for _, in := range fn.inputs {
		if !slices.Contains(body.Params, in.v.ir) {
			continue
		}
		v := &ir.Value{Name: fn.call.Name + "." + in.name, Type: in.v.ir.Type}
		fn.call.In = append(fn.call.In, v)
		main.Params = append(main.Params, v)
	}
	for _, o := range fn.outputs {
		fn.publish(o)
	}
	if len(fn.call.In)+len(fn.call.Out) == 0 {
		fn.present()
	}
	fn.r.m.Funcs = append(fn.r.m.Funcs, fn.f)
	main.Nodes = append(main.Nodes, fn.call)
}

// publish makes an output of a root an output of main.
func (fn *function) publish(o output) {
	name := o.class
	if name == "" {
		name = fn.class
	}
	if fn.phase != "" {
		name += "." + fn.phase
	}
	v := &ir.Value{Name: name + "." + o.name, Type: o.ir.Type, Def: fn.call}
	fn.call.Out = append(fn.call.Out, v)
	fn.r.m.Main.Body.Results = append(fn.r.m.Main.Body.Results, v)
	fn.f.Body.Results = append(fn.f.Body.Results, o.ir)
}

// present gives a root without inputs and outputs a constant output, as every ONNX node must read or define a
// value.
func (fn *function) present() {
	g := &Graph{r: fn.r, fn: fn, class: fn.class}
	yes := g.Const(true)
	yes.ir.Def.Pos = fn.f.Body.Nodes[0].Pos
	fn.outputs = append(fn.outputs, output{"present", yes})
	fn.publish(fn.outputs[len(fn.outputs)-1])
}

// meta writes the properties that the graph itself cannot hold as metadata.
func (r *recorder) meta(p Program) {
	artifact.SetProgram(r.m, p.Name)
	for _, s := range r.slots {
		for _, c := range s.classes {
			b := s.bind.table
			b.Role = s.role
			artifact.Bind(r.m, c.name, s.name, b)
		}
	}
	slices.SortFunc(r.m.Meta[1:], func(a, b ir.Metadata) int { return strings.Compare(a.Key, b.Key) })
}

// minOpset is the oldest operator set of a recorded program. Newer ones need newer tools.
const minOpset = 21

// oneVersion gives all operators of a domain the same version, as ONNX requires.
func oneVersion(m *ir.Module) {
	newest := minOpset
	for _, f := range m.AllFuncs() {
		f.Body.Walk(func(n *ir.Node) {
			if n.Domain == "" {
				newest = max(newest, n.Version)
			}
		})
	}
	m.Opsets = map[string]int{"": newest}
	for _, f := range m.AllFuncs() {
		f.Opsets = map[string]int{"": newest}
		f.Body.Walk(func(n *ir.Node) {
			if n.Domain == "" {
				n.Version = newest
			}
			f.Opsets[n.Domain] = n.Version
			m.Opsets[n.Domain] = n.Version
		})
	}
	m.Main.Opsets = nil
}

// define makes nodes the producers of their constants again. While a program is recorded, inference needs the
// contents of the constants.
func define(f *ir.Func) {
	f.Body.Walk(func(n *ir.Node) {
		if n.Is("Constant") {
			n.Out[0].Const = nil
		}
	})
}
