package dsl

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Rounds is a loop. In each round, the nodes that depend on it or stand beside it run again. A round begins
// when the round before has reached its [Rounds.Next].
type Rounds struct {
	g       *Graph
	node    *ir.Node
	number  Value
	carried []*carried
	until   Value
	pos     pos
}

type carried struct {
	name string
	now  Value
	next Value
}

// Rounds begins a loop of n rounds.
func (g *Graph) Rounds(n int, opts ...RoundsOption) *Rounds {
	r := &Rounds{g: g, pos: g.r.at()}
	a := attrs("n", n)
	for _, o := range opts {
		o(&a)
	}
	out := g.service(peer.Rounds, "round", a)
	if !out.bad {
		r.node, r.number = out.ir.Def, out
		r.node.Attrs.Set(peer.NameAttr, r.node.Name)
		g.fn.rounds = append(g.fn.rounds, r)
	} else {
		r.number = out
	}
	return r
}

// Number returns the number of the round, from 0: int64[].
func (r *Rounds) Number() Value { return r.number }

// Carry returns a value that is passed from round to round. It is first in round 0, and later the value that
// the round before passed to [Rounds.Next].
func (r *Rounds) Carry(name string, first Value) Value {
	g := r.g
	p := g.r.at()
	if r.node == nil {
		return g.bad(1)[0]
	}
	if b := g.fn.branch; b != nil {
		return g.r.failAt(p, "Carry %q stands inside the %s at %s: carry it before", name, b.of, b.pos.long)
	}
	in, c, err := g.inputs([]Value{first})
	switch {
	case err == nil && in != nil && in[0] != nil && in[0].Def == r.node:
		return g.r.failAt(p, "Carry %q: %s is a value of these rounds, which is not there before they begin", name, in[0].Name)
	case err == nil && first.value == nil:
		err = errNoValue
	case err == nil && in != nil && c != "" && c != g.classOf(r.node):
		return g.r.failAt(p, "Carry %q: %s is on peers of class %s, the rounds on %s", name, in[0].Name, c, g.classOf(r.node))
	}
	if err != nil {
		return g.r.failAt(p, "Carry %q: %v", name, err)
	}
	if in == nil {
		return g.bad(1)[0]
	}
	nodes := &g.fn.f.Body.Nodes
	at := slices.Index(*nodes, r.node)
	for _, n := range (*nodes)[at+1:] {
		if slices.ContainsFunc((&ir.Region{Nodes: []*ir.Node{n}}).Captures(), func(v *ir.Value) bool { return v.Def == r.node }) {
			return g.r.failAt(p, "Carry %q comes after the round has begun, at %s: carry all values first", name, g.r.long[n.Pos])
		}
	}
	*nodes = append(slices.Delete(*nodes, at, at+1), r.node) // the initial values precede it
	out := &ir.Value{Name: g.fresh(name), Def: r.node}
	r.node.In, r.node.Out = append(r.node.In, in[0]), append(r.node.Out, out)
	if err := (op.Inferrer{}).Infer(g.r.m, r.node); err != nil {
		return g.r.failAt(p, "Carry %q: %v", name, err)
	}
	x := Value{&value{ir: out, fn: g.fn, class: g.classOf(r.node), peers: first.peers}}
	r.carried = append(r.carried, &carried{name: name, now: x})
	return x
}

// Next sets the value of x, which is carried, for the next round.
func (r *Rounds) Next(x, next Value) {
	i := slices.IndexFunc(r.carried, func(c *carried) bool { return x.value != nil && c.now.value == x.value })
	switch {
	case x.value == nil || next.value == nil:
		r.g.r.fail("Next: %v", errNoValue)
	case next.bad && i >= 0:
		r.carried[i].next = next // its error has been reported
	case x.bad || next.bad || r.node == nil:
	case i < 0:
		r.g.r.fail("Next: %s is not carried by these rounds", x.ir.Name)
	case r.carried[i].next.value != nil:
		r.g.r.fail("Next: %s is given twice", r.carried[i].name)
	default:
		c := r.carried[i]
		c.next = r.atEnd("Next: "+c.name, next, x.ir.Type)
		if c.next.value != nil && !c.next.bad && x.peers != nil && c.next.peers != nil && *x.peers != *c.next.peers {
			r.g.r.failAt(r.pos, "Next: %s is peers of class %s, and the next value peers of class %s", c.name, x.peers, c.next.peers)
		}
	}
}

// Until ends the loop after the first round in which done, a bool[], is true.
func (r *Rounds) Until(done Value) {
	switch {
	case r.until.value != nil:
		r.g.r.fail("Until is said twice")
	case done.value == nil:
		r.g.r.fail("Until: %v", errNoValue)
	default:
		r.until = r.atEnd("Until", done, ir.TensorOf(tensor.Bool))
	}
}

// atEnd checks a value of the given type that the end of a round reads, and returns it.
func (r *Rounds) atEnd(what string, v Value, want ir.Type) Value {
	g := r.g
	r.pos = g.r.at()
	if b := g.fn.branch; b != nil {
		return g.r.failAt(r.pos, "%s: it stands inside the %s at %s: say it behind that", what, b.of, b.pos.long)
	}
	in, _, err := g.inputs([]Value{v})
	v = g.arrived(v)
	if err == nil && in != nil {
		err = fits(v.ir.Type, want)
	}
	if err != nil {
		return g.r.failAt(r.pos, "%s: %v", what, err)
	}
	return v
}
