package dsl

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Reduction is how the values of many peers become one.
type Reduction string

// The reductions. Integers have no Mean; their sums wrap. Sums of 16-bit floats are taken
// in float32 and rounded once.
const (
	Sum  Reduction = "sum"
	Mean Reduction = "mean"
	Max  Reduction = "max"
)

// Algorithm is who sends what to whom when peers compute together.
type Algorithm string

// The algorithms. Without one, size and number of peers decide.
const (
	Direct   Algorithm = "direct"   // all to all: one round
	Tree     Algorithm = "tree"     // up a tree and down again
	Halving  Algorithm = "halving"  // recursive halving and doubling
	Ring     Algorithm = "ring"     // around the ring, twice
	Pairwise Algorithm = "pairwise" // to who adds a part, and back
)

// CollectiveOption says more of what peers compute together.
type CollectiveOption func(c *collectiveOptions)

type collectiveOptions struct {
	port  string
	attrs ir.Attrs
}

// Port names the edge of what peers compute together. Without it the edge is called as the
// method is.
func Port(name string) CollectiveOption { return func(c *collectiveOptions) { c.port = name } }

// By chooses an algorithm.
func By(a Algorithm) CollectiveOption {
	return func(c *collectiveOptions) { c.attrs.Set("algorithm", string(a)) }
}

// Root returns the rank whose value [Graph.Broadcast] gives to all, or that gets what
// [Graph.Reduce] reduces. Without it, that is rank 0.
func Root(rank int) CollectiveOption {
	return func(c *collectiveOptions) { c.attrs.Set("root", int64(rank)) }
}

// Finite refuses values that are not finite: then the call fails on all peers, and the
// error names who had it.
func Finite() CollectiveOption {
	return func(c *collectiveOptions) { c.attrs.Set("finite", int64(1)) }
}

// Compress sends float32 in fewer bits: as "bfloat16", which keeps 8 bits of precision, or as
// "int8", 8 bits for each element and an exponent for each 32 of them, so that an element loses
// up to 1/127 of the largest one of these. Sums are taken in float32 and sent so once more; all
// peers have the same bits all the same.
func Compress(codec string) CollectiveOption {
	return func(c *collectiveOptions) { c.attrs.Set("codec", codec) }
}

// Feedback adds what a value has lost by [Compress] to the peer's next one, and what a sum has
// lost to the next sum: it is for values of which one follows the other, such as gradients.
func Feedback() CollectiveOption {
	return func(c *collectiveOptions) { c.attrs.Set("feedback", int64(1)) }
}

// IfLost says what follows when a peer that takes part is down. Without it all calls fail,
// and the error names the peer. With [Repeat] those who are left go on without it, as long
// as they are more than half of those who were there; a call that nobody has the result of
// is repeated. With [Wait] they wait until the peer is back, with the state that it had.
// It is the same for all that peers of a class compute together.
func IfLost(then Short) CollectiveOption {
	return func(c *collectiveOptions) { c.attrs.Set("if_lost", string(then)) }
}

// AllReduce returns the reduction of what all peers of the class have: the same bits on all
// of them. Peers are those of the own class, g.Peers of it.
//
//	mean := g.AllReduce(gradient, g.Peers("worker"), dsl.Mean)
//
// Calls belong together by their number on each peer: all peers of the class make
// them as often. What follows waits for the result as for a message.
func (g *Graph) AllReduce(x, peers Value, r Reduction, opts ...CollectiveOption) Value {
	return g.together(peer.CollectiveAllReduce, "all_reduce", r, x, peers, opts)
}

// ReduceScatter returns the peer's rows of the reduction of what all peers have: rows are
// shared out in the order of ranks, and the first peers have one more where they do not
// come out even.
func (g *Graph) ReduceScatter(x, peers Value, r Reduction, opts ...CollectiveOption) Value {
	return g.together(peer.CollectiveReduceScatter, "reduce_scatter", r, x, peers, opts)
}

// AllGather returns the values of all peers, one behind the other along the first axis in the
// order of ranks.
func (g *Graph) AllGather(x, peers Value, opts ...CollectiveOption) Value {
	return g.together(peer.CollectiveAllGather, "all_gather", "", x, peers, opts)
}

// Broadcast returns the value of one peer, the [Root], on all. All give one, of the same shape.
func (g *Graph) Broadcast(x, peers Value, opts ...CollectiveOption) Value {
	return g.together(peer.CollectiveBroadcast, "broadcast", "", x, peers, opts)
}

// Reduce returns the reduction of what all peers have on one of them, the [Root], and on the
// others their own value.
func (g *Graph) Reduce(x, peers Value, r Reduction, opts ...CollectiveOption) Value {
	return g.together(peer.CollectiveReduce, "reduce", r, x, peers, opts)
}

// Barrier is there when all peers have come so far, and the others of its values are.
func (g *Graph) Barrier(peers Value, when []Value, opts ...CollectiveOption) Value {
	return g.together(peer.CollectiveBarrier, "barrier", "", Value{}, peers, opts, g.triggers(when)...)
}

// Slot is a pointer to one of the slots: a Model, a Component and so on.
type Slot interface{ slotField }

// Enter begins a step of peers of which some may join: those that begin again without a
// state, and those that come when the others have gone on. It comes first in a round, and all else
// waits for what it gives: the number of the step, which is the peer's own, or that of the
// others if it joins. Then its slots have their state.
//
//	step := rounds.Carry("step", g.Const([]int64{0}))
//	now := g.Enter(step, g.Peers("worker"), []dsl.Slot{&w.Model})
//
// Peers that are lost are done without: so all that the class computes together says
// [IfLost] with [Repeat]. As long as nobody joins, nothing is sent.
func (g *Graph) Enter(step, peers Value, state []Slot, opts ...CollectiveOption) Value {
	var names []string
	for _, f := range state {
		s := g.slotOf(f)
		if s == nil {
			return g.bad(1)[0]
		}
		names = append(names, s.name)
	}
	opts = append(opts, IfLost(Repeat), func(c *collectiveOptions) { c.attrs.Set(peer.SlotsAttr, names) })
	return g.together(peer.CollectiveEnter, "enter", "", step, peers, opts)
}

// together records what peers compute together.
func (g *Graph) together(o *op.Op, name string, r Reduction, x, peers Value, opts []CollectiveOption, when ...Value) Value {
	var c collectiveOptions
	if r != "" {
		c.attrs.Set("reduction", string(r))
	}
	for _, opt := range opts {
		opt(&c)
	}
	if c.port == "" {
		c.port = g.r.port(g.class, name)
	}
	switch {
	case ir.Ident(c.port) != c.port:
		return g.r.fail("%s: port %q: want a name of letters, digits and underscores", o.Name, c.port)
	case peers.value == nil || o != peer.CollectiveBarrier && x.value == nil:
		return g.r.fail("%s: %v", o.Name, errNoValue)
	case peers.bad || x.value != nil && x.bad:
		return g.bad(1)[0]
	case peers.peers == nil || peers.peers.name != peers.class && peers.class != "":
		return g.r.fail("%s: want all peers of the own class: g.Peers(%q)", o.Name, g.class)
	}
	c.attrs.Set("port", c.port)
	in := append([]Value{peers}, when...)
	if x.value != nil {
		in = append(in, x)
	}
	return g.do(step{op: o, attrs: c.attrs, outs: []string{c.port}, in: in})[0]
}

// port returns a name that no other edge of the kind has on a class.
func (r *recorder) port(class, name string) string {
	full := name
	for i := 2; slices.Contains(r.ports, class+"."+full); i++ {
		full = fmt.Sprint(name, i)
	}
	r.ports = append(r.ports, class+"."+full)
	return full
}
