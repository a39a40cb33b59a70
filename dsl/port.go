package dsl

import (
	"slices"
	"time"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// input is an input of a module.
type input struct {
	name string
	fn   *function
	v    Value
	recv *ir.Node // the node that receives it, if its sender is used
	pos  pos
	fed  []*sending
	from *value // the peers that it comes from, or nil
	said int    // the number of its options
}

// InputOption is an option of [Graph.Input].
type InputOption func(*input)

// From makes an input come from each of the peers, with one value from each. Nodes that depend on it run once
// for each peer, up to the aggregator that combines the contributions.
func From(peers Value) InputOption {
	return func(in *input) { in.from, in.recv.In = peers.value, []*ir.Value{peers.value.irOrNil()} }
}

// WaitFor limits how long an execution waits for an input after it has begun on the peer. Then the input is
// missing: the host is notified, and nodes that depend on it fail.
func WaitFor(d time.Duration) InputOption {
	return func(in *input) {
		in.recv.Attrs.Set("within_ns", d.Nanoseconds())
		if d <= 0 {
			in.fn.r.failAt(in.pos, "input %q: WaitFor is %v, want more than 0", in.name, d)
		}
	}
}

func (v *value) irOrNil() *ir.Value {
	if v == nil {
		return nil
	}
	return v.ir
}

// Input returns a value from outside: from an edge with its name, or else from the host. In a
// called module, it is the caller's argument.
func (g *Graph) Input(name string, t Type, from ...InputOption) Value {
	p := g.r.at()
	if i := slices.IndexFunc(g.fn.inputs, func(in *input) bool { return in.name == name }); i >= 0 {
		return g.again(g.fn.inputs[i], t, len(from), p)
	}
	if ir.Ident(name) != name {
		return g.r.failAt(p, "input %q: want a name of letters, digits and underscores", name)
	}
	if b := g.fn.branch; b != nil {
		return g.r.failAt(p, "input %q stands inside the %s at %s: take it before", name, b.of, b.pos.long)
	}
	typ, err := g.fn.inputType(t)
	if err != nil {
		return g.r.failAt(p, "input %q: %v", name, err)
	}
	in := &input{name: name, fn: g.fn, pos: p, said: len(from)}
	if g.fn.args != nil {
		return g.argument(in, t, typ, p)
	}
	v := &ir.Value{Name: g.r.m.FreshName(g.full(name)), Type: typ}
	in.v = Value{&value{ir: v, fn: g.fn, class: g.fn.class, input: in}}
	g.fn.inputs = append(g.fn.inputs, in)
	g.fn.f.Body.Params = append(g.fn.f.Body.Params, v)
	if t.parts != nil {
		in.arrive(len(g.fn.f.Body.Nodes)) // the host has no bundles
	}
	if len(from) > 0 && in.recv == nil {
		in.arrive(len(g.fn.f.Body.Nodes))
	}
	if len(from) > 0 {
		for _, o := range from {
			o(in)
		}
		if set := in.recv.In; len(set) > 0 && (set[0] == nil || !set[0].Type.Equal(peer.Peers)) {
			in.recv.In = nil
			return g.r.failAt(p, "input %q: From takes a set of peers", name)
		}
		if _, _, err := g.inputs([]Value{{in.from}}); err != nil {
			return g.r.failAt(p, "input %q: From: %v", name, err)
		}
		if len(in.recv.In) > 0 && in.recv.Attrs.Lookup("within_ns") != nil {
			return g.r.failAt(p, "input %q comes from a set of peers: how long they are waited for is for Within of the aggregator to say", name)
		}
	}
	return in.v
}

// again returns an input that the module has taken before, and must take in the same way.
func (g *Graph) again(in *input, t Type, options int, p pos) Value {
	if in.v.value == nil || in.v.bad {
		return in.v
	}
	if options != in.said {
		return g.r.failAt(p, "input %q has %d options here and %d at %s: say them at both places", in.name, options, in.said, in.pos.long)
	}
	want, err := t.make(func(dim any) (ir.Dim, error) {
		d, ok, err := known(dim)
		if !ok {
			d = ir.Sym("n") // any size
		}
		return d, err
	})
	if err == nil && g.fn.args == nil && t.parts == nil {
		err = fits(in.v.ir.Type, want)
	}
	if err != nil {
		return g.r.failAt(p, "input %q, which is taken at %s, too: %v", in.name, in.pos.long, err)
	}
	return in.v
}

// argument returns an input of a called module.
func (g *Graph) argument(in *input, t Type, want ir.Type, p pos) Value {
	arg, ok := g.fn.args[in.name]
	switch {
	case !ok || arg.value == nil:
		return g.r.failAt(p, "input %q was not given to module %s, which is called at %s", in.name, g.fn.f.Name, g.r.long[g.fn.call.Pos])
	case arg.bad:
		return arg
	}
	if err := fits(arg.ir.Type, want); err != nil {
		return g.r.failAt(p, "input %q of module %s, which is called at %s: %v", in.name, g.fn.f.Name, g.r.long[g.fn.call.Pos], err)
	}
	for i, d := range arg.ir.Type.Shape {
		if name, ok := t.dims[i].(string); ok {
			g.fn.syms[name], _ = d.Symbol() // the module's name of the caller's size
		}
	}
	v := &ir.Value{Name: g.fresh(in.name), Type: arg.ir.Type}
	in.v = Value{&value{ir: v, fn: g.fn, class: arg.class, peers: arg.peers}}
	g.fn.inputs = append(g.fn.inputs, in)
	g.fn.f.Body.Params = append(g.fn.f.Body.Params, v)
	return in.v
}

// arrive makes a Recv node for the input. Its second output can be the sender. It is inserted before the node
// with the given index.
func (in *input) arrive(at int) {
	b := in.fn.f.Body
	v := in.v.ir
	n := &ir.Node{Op: peer.Recv.Name, Domain: peer.Recv.Domain, Name: v.Name, Out: []*ir.Value{v}, Version: 1, Pos: in.pos.short}
	n.Attrs.Set("port", in.name)
	n.Attrs.Set(peer.TypesAttr, []string{v.Type.String()})
	for _, d := range peer.Sizes(v.Type) {
		if s, ok := d.Symbol(); ok && !slices.Contains(n.Syms, s) {
			n.Syms = append(n.Syms, s)
		}
	}
	v.Def = n
	in.recv = n
	b.Params = slices.DeleteFunc(b.Params, func(x *ir.Value) bool { return x == v })
	b.Nodes = slices.Insert(b.Nodes, at, n)
}

// Sender returns the peer that a value came from. The value is an input that an edge feeds, or the result of
// a NetOut.
func (g *Graph) Sender(v Value) Value {
	switch {
	case v.value == nil:
		return g.r.fail("Sender of no value")
	case v.bad:
		return v
	case v.fn != g.fn:
		return g.r.fail("Sender: %s is a value of another module: pass its sender as an input", v.ir.Name)
	case v.input != nil:
		in := v.input
		if in.recv == nil {
			g.outside(func() { in.arrive(0) })
		}
		return g.sender(in.recv, &value{fn: g.fn, class: in.fn.class, peers: &class{input: in}})
	case v.send != nil:
		return g.sender(v.send.node, &value{fn: g.fn, class: v.send.to.String(), peers: &class{name: v.send.from}})
	}
	return g.r.fail("Sender: %s is not what came over an edge", v.ir.Name)
}

// sender returns the second output of a Recv or Send.
func (g *Graph) sender(n *ir.Node, v *value) Value {
	if len(n.Out) == 1 {
		n.Out = append(n.Out, &ir.Value{Name: g.fresh(n.Attrs.Lookup("port").(string) + "_from"), Type: peer.Peer1, Def: n})
	}
	v.ir = n.Out[1]
	return Value{v}
}

// Output returns a value to the host, or to the module that called this one.
func (g *Graph) Output(name string, v Value) {
	p := g.r.at()
	switch b := g.fn.branch; {
	case b != nil:
		g.r.failAt(p, "output %q stands inside the %s at %s: give what comes out of that", name, b.of, b.pos.long)
		return
	case ir.Ident(name) != name:
		g.r.failAt(p, "output %q: want a name of letters, digits and underscores", name)
		return
	case slices.ContainsFunc(g.fn.outputs, func(o output) bool { return o.name == name }):
		g.r.failAt(p, "output %q is given twice", name)
		return
	case g.fn.args == nil && slices.ContainsFunc(g.fn.inputs, func(in *input) bool { return in.name == name }):
		g.r.failAt(p, "output %q: there is an input of that name", name)
		return
	}
	in, _, err := g.inputs([]Value{v})
	if err == nil && v.value == nil {
		err = errNoValue
	}
	if err != nil {
		g.r.failAt(p, "output %q: %v", name, err)
	}
	if in == nil || err != nil {
		return
	}
	v = g.arrived(v)
	switch again := slices.ContainsFunc(g.fn.outputs, func(o output) bool { return o.ir == v.ir }); {
	case g.fn.plain && (again || v.ir.Def == nil || v.ir.Const != nil):
		v = g.Identity(v)
		g.rename(v.ir, name)
	case again || v.ir.Def == nil:
		v = g.PassThrough(v)
	default:
		g.rename(v.ir, name)
	}
	g.fn.outputs = append(g.fn.outputs, output{name, v})
}

// rename gives a value the name of its output.
func (g *Graph) rename(v *ir.Value, name string) {
	if v.Name == g.full(name) {
		return
	}
	own := v.Def.Name == v.Name
	v.Name = g.r.m.FreshName(g.full(name))
	if own {
		v.Def.Name = v.Name
	}
}
