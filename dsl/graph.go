package dsl

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Graph records what the peers of a module do.
type Graph struct {
	r     *recorder
	fn    *function
	class string // class that runs nodes without inputs
	part  string // path of the part of a model being recorded, each name followed by a slash
}

// On returns the graph for actions of another class that depend on no value, such as a call on a slot of that
// class, or the time.
func (g *Graph) On(class string) *Graph {
	c := *g
	c.class = class
	return &c
}

// A step is a node to be recorded.
type step struct {
	op    *op.Op
	attrs ir.Attrs
	outs  []string // names of the outputs
	types []Type   // types of the outputs, as the author gives them
	slot  *slot
	in    []Value

	regions []*ir.Region // regions of control flow
	inner   *branch      // the branch of the regions
	free    bool         // its inputs do not determine where it runs
}

// do records a node and returns its outputs.
func (g *Graph) do(s step) []Value {
	p := g.r.at()
	if len(s.outs) == 0 && s.op.Out().Min > 0 {
		s.outs = []string{s.op.Name}
	}
	in, class, err := g.inputs(s.in)
	if err == nil {
		class, err = s.inner.common(class)
	}
	if err == nil {
		err = g.inBranch(s, class)
	}
	if err == nil {
		err = g.fn.alone(s.op)
	}
	if err != nil {
		g.fail(p, fmt.Sprintf("%s: %v", s.op.Name, err))
	}
	if in == nil || err != nil {
		return g.bad(len(s.outs))
	}
	s.free = class == ""
	if s.free {
		class = g.home(s.slot)
	}
	n := &ir.Node{Op: s.op.Name, Domain: s.op.Domain, In: in, Attrs: slices.Clone(s.attrs), Pos: p.short, Regions: s.regions}
	if class != g.fn.class && g.fn.branch == nil {
		n.Class = class
	}
	if s.op.Peer != nil && g.fn.phase != "" {
		n.Attrs.Set(peer.PhaseAttr, g.fn.phase)
	}
	if s.slot != nil {
		n.Attrs.Set(peer.SlotAttr, s.slot.name)
		s.slot.usedBy(class, p)
	}
	if err := g.fn.say(n, s.types); err != nil {
		g.r.failAt(p, "%s: %v", s.op.Name, err)
		return g.bad(len(s.outs))
	}
	return g.add(n, class, p, s)
}

// add gives a node its outputs.
func (g *Graph) add(n *ir.Node, class string, p pos, s step) []Value {
	if s.op.Peer == nil && !s.op.Random && s.free && (s.regions == nil || g.fn.branch != nil) {
		class = "" // folded, or part of a branch
	}
	var out []Value
	for _, name := range s.outs {
		v := &ir.Value{Name: g.fresh(name), Def: n}
		n.Out = append(n.Out, v)
		x := &value{ir: v, fn: g.fn, class: class}
		if g.fn.branch != nil {
			x.branch, x.inside = g.fn.branch, g.fn.f.Body
		}
		out = append(out, Value{x})
	}
	n.Name = g.nodeName(n)
	if err := (op.Inferrer{}).Infer(g.r.m, n); err != nil {
		g.fail(p, fmt.Sprintf("%s: %v", s.op.Name, g.r.legible(err)))
		return g.bad(len(s.outs))
	}
	g.fn.f.Body.Nodes = append(g.fn.f.Body.Nodes, n)
	return out
}

func (g *Graph) nodeName(n *ir.Node) string {
	if len(n.Out) > 0 {
		return n.Out[0].Name
	}
	return g.fresh(n.Op)
}

// fresh returns an unused name for a value. It begins with the call's name, so that inlining can keep it.
func (g *Graph) fresh(name string) string { return g.r.m.FreshName(g.full(g.part + name)) }

// full returns the name in the graph for a name that the author chose.
func (g *Graph) full(name string) string {
	if g.fn.plain {
		return name
	}
	return g.fn.call.Name + "/" + name
}

// bad returns n invalid outputs, after an error has been reported.
func (g *Graph) bad(n int) []Value {
	out := make([]Value, max(n, 1))
	for i := range out {
		out[i] = Value{&value{bad: true}}
	}
	return out
}

// together says how to bring a value to another class: by sending it, or by creating it there if it has no
// inputs, such as a list of peers.
func together(v Value, class string) string {
	if def := v.ir.Def; def != nil && len(def.In) == 0 {
		return fmt.Sprintf("make it there, with g.On(%q)", class)
	}
	return "send one of them with NetOut"
}

// inputs checks the inputs of a node and returns the class that has them. It returns nil after reporting an
// error.
func (g *Graph) inputs(vs []Value) (in []*ir.Value, class string, err error) {
	in = make([]*ir.Value, 0, len(vs))
	for _, v := range vs {
		if v.value == nil {
			in = append(in, nil)
			continue
		}
		if v = g.arrived(v); v.bad {
			return nil, "", nil
		}
		switch {
		case v.fn != g.fn:
			return nil, "", fmt.Errorf("%s is a value of another module: pass it as an input", v.ir.Name)
		case !g.sees(v.inside):
			return nil, "", fmt.Errorf("%s is computed inside the %s at %s: return it from there", v.ir.Name, v.branch.of, v.branch.pos.long)
		case v.class == unknownClass:
			return nil, "", fmt.Errorf("%s went to a peer of a class that is not known here: send it to Peers of a class, or give the other class a module with that input", v.ir.Name)
		case v.class != "" && class != "" && v.class != class:
			return nil, "", fmt.Errorf("%s is on peers of class %s, and what comes before it on %s: %s", v.ir.Name, v.class, class, together(v, class))
		case v.class != "":
			class = v.class
		}
		in = append(in, v.ir)
	}
	return in, class, nil
}

// home returns the class that runs a node without inputs: the class of its slot, if that is known.
func (g *Graph) home(s *slot) string {
	if s != nil && g.class == g.fn.class && len(s.classes) == 1 {
		return s.classes[0].name
	}
	return g.class
}

// attrs returns attributes from alternating names and values.
func attrs(kv ...any) ir.Attrs {
	var a ir.Attrs
	for i := 0; i < len(kv); i += 2 {
		v := kv[i+1]
		if n, ok := v.(int); ok {
			v = int64(n)
		}
		a.Set(kv[i].(string), v)
	}
	return a
}

// fail reports a mistake, with the part of the model that contains it.
func (g *Graph) fail(p pos, msg string) Value {
	if g.part != "" {
		msg = g.part[:len(g.part)-1] + ": " + msg
	}
	return g.r.failAt(p, "%s", msg)
}

// alone returns an error if the node cannot be part of a plain model.
func (fn *function) alone(o *op.Op) error {
	if fn.plain && o.Peer != nil {
		return fmt.Errorf("a plain model runs on no peer: write a Program")
	}
	return nil
}
