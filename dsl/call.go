package dsl

import (
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Args are the inputs of a called module, by name.
type Args map[string]Value

// Outputs are the outputs of a called module.
type Outputs struct {
	g      *Graph
	module string
	values map[string]Value
}

// Output returns the output of the given name.
func (o Outputs) Output(name string) Value {
	v, ok := o.values[name]
	switch {
	case o.g == nil: // the call failed
		return Value{&value{bad: true}}
	case !ok:
		return o.g.r.fail("module %s has no output %q", o.module, name)
	}
	return v
}

// Call calls another module, which becomes a part of this one, as if its Body stood here.
func (g *Graph) Call(m Module, in Args) Outputs {
	p := g.r.at()
	fn := g.callee(m, in, p)
	if fn == nil {
		return Outputs{}
	}
	g.boots(fn.prepared, p)
	return g.called(fn, nameOf(m))
}

// callee records a called module. It returns nil after reporting an error.
func (g *Graph) callee(m Module, in Args, p pos) *function {
	if isNil(m) {
		g.r.failAt(p, "the module is nil: %T", m)
		return nil
	}
	name := nameOf(m)
	if ir.Ident(name) != name || name == "" {
		g.r.failAt(p, "module %T is called %q, want a name of letters, digits and underscores", m, name)
		return nil
	}
	if g.r.over {
		return nil
	}
	if err := g.circle(m, in); err != nil {
		g.r.over = true
		g.r.failAt(p, "%v", err)
		return nil
	}
	if in, _, err := g.inputs(in.values()); err != nil || in == nil {
		if err != nil {
			g.r.failAt(p, "call of %s: %v", name, err)
		}
		return nil
	}
	call := g.fresh(name)
	id := g.r.funcName(ir.Ident(call))
	fn := &function{r: g.r, class: g.fn.class, phase: g.fn.phase, args: in.arrived(g), module: m, caller: g.fn, from: p.short, syms: map[string]string{},
		f:    &ir.Func{Name: id, Domain: peer.ModuleDomain, Body: &ir.Region{}},
		call: &ir.Node{Op: id, Domain: peer.ModuleDomain, Name: call, Local: true, Version: 1, Pos: p.short},
	}
	if b := g.fn.branch; b != nil {
		g.r.failAt(p, "call of %s stands inside the %s at %s: do it before, or for what comes out", name, b.of, b.pos.long)
		return nil
	}
	before := len(g.r.errs)
	sub := &Graph{r: g.r, fn: fn, class: g.class}
	fn.prepared = g.r.prepare(m, strings.ToUpper(name[:1])+name[1:])
	g.r.run(fn.prepared.Body, sub)
	sub.endRounds()
	for _, a := range slices.Sorted(maps.Keys(fn.args)) {
		if !slices.ContainsFunc(fn.inputs, func(in *input) bool { return in.name == a }) && len(g.r.errs) == before {
			g.r.failAt(p, "module %s has no input %q", name, a)
		}
	}
	if len(g.r.errs) > before {
		return nil
	}
	return fn
}

// values returns the arguments in the order of their names.
func (a Args) values() []Value {
	var out []Value
	for _, name := range slices.Sorted(maps.Keys(a)) {
		out = append(out, a[name])
	}
	return out
}

func (a Args) arrived(g *Graph) Args {
	out := Args{}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		out[name] = g.arrived(a[name])
	}
	return out
}

// called adds the call of a recorded module.
func (g *Graph) called(fn *function, name string) Outputs {
	for _, in := range fn.inputs {
		fn.call.In = append(fn.call.In, fn.args[in.name].ir)
	}
	out := Outputs{g: g, module: name, values: map[string]Value{}}
	for _, o := range fn.outputs {
		v := &ir.Value{Name: fn.call.Name + "." + o.name, Type: o.ir.Type, Def: fn.call}
		fn.call.Out = append(fn.call.Out, v)
		fn.f.Body.Results = append(fn.f.Body.Results, o.ir)
		out.values[o.name] = Value{&value{ir: v, fn: g.fn, class: o.class, peers: o.peers}}
	}
	g.r.m.Funcs = append(g.r.m.Funcs, fn.f)
	g.fn.f.Body.Nodes = append(g.fn.f.Body.Nodes, fn.call)
	return out
}
