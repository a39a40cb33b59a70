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

func newRecorder(name string) *recorder {
	return &recorder{
		m: &ir.Module{
			Name:   name,
			Opsets: map[string]int{},
			Main:   &ir.Func{Name: "main", Body: &ir.Region{}},
		},
		alias: map[string]string{},
		long:  map[string]string{},
	}
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
	if m == nil {
		r.failAt(pos{}, "a module is nil")
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
		r.record(m, name+"__bootstrap", of, "bootstrap", b)
	}
}

// record runs the author's body on a new function, which main calls.
func (r *recorder) record(m Module, name, of, phase string, body func(*Graph)) *function {
	call := of
	if phase != "" {
		call += "." + phase
	}
	fn := &function{r: r, module: m, class: of, phase: phase, syms: map[string]string{},
		f:    &ir.Func{Name: name, Domain: peer.ModuleDomain, Body: &ir.Region{}},
		call: &ir.Node{Op: name, Domain: peer.ModuleDomain, Name: call, Class: of, Local: true, Version: 1},
	}
	g := &Graph{r: r, fn: fn, class: of}
	if phase != "" {
		g.service(peer.BootstrapDispatch, "bootstrap", nil)
	}
	r.run(body, g)
	if nodes := fn.f.Body.Nodes; phase != "" {
		if len(nodes) == 1 {
			return fn // nothing was recorded
		}
		nodes[0].Pos = nodes[1].Pos // not the position of Build's caller
	}
	g.endRounds()
	r.roots = append(r.roots, fn)
	return fn
}

// run runs a Body. A panic is reported as a mistake at the line that caused it.
func (r *recorder) run(body func(*Graph), g *Graph) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case endless:
			r.endless(x, g.fn)
		default:
			r.failAt(here(), "panic: %v", x)
		}
	}()
	body(g)
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
	id := ir.Ident(call)
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
	for _, a := range sortedKeys(fn.args) {
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
	for _, name := range sortedKeys(a) {
		out = append(out, a[name])
	}
	return out
}

func (a Args) arrived(g *Graph) Args {
	out := Args{}
	for _, name := range sortedKeys(a) {
		out[name] = g.arrived(a[name])
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
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

// endRounds records the ends of loops of rounds.
func (g *Graph) endRounds() {
	for _, l := range g.fn.rounds {
		in := []Value{l.until}
		for _, c := range l.carried {
			if c.next.value == nil {
				g.r.failAt(l.pos, "the rounds carry %s, and nothing gives the next round its value: call Next", c.name)
				return
			}
			in = append(in, c.next)
		}
		out := g.do(step{op: peer.Next, attrs: attrs(peer.NameAttr, l.node.Str(peer.NameAttr)), outs: []string{"next"}, in: in})
		if !out[0].bad {
			out[0].ir.Def.Pos = l.pos.short
		}
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
