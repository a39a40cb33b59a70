package dsl

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Reduction is an operation that combines the values of many peers into one.
type Reduction string

// The reductions. Mean is not defined for integers, and their sums wrap. Sums of 16-bit floats are computed
// in float32 and rounded once.
const (
	Sum  Reduction = "sum"
	Mean Reduction = "mean"
	Max  Reduction = "max"
)

// Algorithm is a communication pattern of a collective.
type Algorithm string

// The algorithms. By default, the choice depends on the size, the number of peers and their links.
const (
	Direct   Algorithm = "direct"   // all to all: one round
	Tree     Algorithm = "tree"     // up a tree and down again
	Halving  Algorithm = "halving"  // recursive halving and doubling
	Ring     Algorithm = "ring"     // around the ring, twice
	Pairwise Algorithm = "pairwise" // each part goes to the peer that sums it, and back
)

// CollectiveOption is an option of a collective.
type CollectiveOption func(c *collectiveOptions)

type collectiveOptions struct {
	port  string
	attrs ir.Attrs
}

// Port names the edge of a collective. By default, it has the name of the method.
func Port(name string) CollectiveOption { return func(c *collectiveOptions) { c.port = name } }

// By selects an algorithm.
func By(a Algorithm) CollectiveOption {
	return func(c *collectiveOptions) { c.attrs.Set("algorithm", string(a)) }
}

// Root sets the rank of the peer with the value that [Graph.Broadcast] sends to all, or that receives the result of
// [Graph.Reduce]. The default is rank 0.
func Root(rank int) CollectiveOption {
	return func(c *collectiveOptions) { c.attrs.Set("root", int64(rank)) }
}

// Finite rejects values that are not finite: the call fails on all peers, and the error names the peer with
// such a value.
func Finite() CollectiveOption {
	return func(c *collectiveOptions) { c.attrs.Set("finite", int64(1)) }
}

// Compress sends float32 in fewer bits: as "bfloat16", which keeps 8 bits of precision, or as "int8", which
// stores 8 bits for each element and an exponent for each 32 of them, so that an element loses up to 1/127 of
// the largest of the 32. Sums are computed in float32 and sent compressed once more. All peers still have the
// same bits.
func Compress(codec string) CollectiveOption {
	return func(c *collectiveOptions) { c.attrs.Set("codec", codec) }
}

// Feedback adds what [Compress] has lost of a value to the peer's next value, and what it has lost of a sum
// to the next sum. It is for sequences such as gradients.
func Feedback() CollectiveOption {
	return func(c *collectiveOptions) { c.attrs.Set("feedback", int64(1)) }
}

// IfLost sets what happens if a peer of a collective is down. By default, all calls fail, and the error names
// the peer. With [Repeat], the remaining peers continue without it as long as they are more than half of the
// previous members; a call without a result on any peer is repeated. With [Wait], they wait until the peer is
// back with its state. All collectives of a class must use the same setting.
func IfLost(then Short) CollectiveOption {
	return func(c *collectiveOptions) { c.attrs.Set("if_lost", string(then)) }
}

// AllReduce returns the reduction of the values of all peers of the class, with the same bits on each peer.
// The peers must be g.Peers of the own class.
//
//	mean := g.AllReduce(gradient, g.Peers("worker"), dsl.Mean)
//
// Calls are matched by their number on each peer: all peers of the class must make them equally often. Nodes
// that read the result wait for it as for a message.
func (g *Graph) AllReduce(x, peers Value, r Reduction, opts ...CollectiveOption) Value {
	return g.together(peer.CollectiveAllReduce, "all_reduce", r, x, peers, opts)
}

// ReduceScatter returns the peer's rows of the reduction of the values of all peers. Rows are distributed in
// the order of ranks; if they do not divide evenly, the first peers have one more.
func (g *Graph) ReduceScatter(x, peers Value, r Reduction, opts ...CollectiveOption) Value {
	return g.together(peer.CollectiveReduceScatter, "reduce_scatter", r, x, peers, opts)
}

// AllGather returns the values of all peers, concatenated along the first axis in the order of ranks.
func (g *Graph) AllGather(x, peers Value, opts ...CollectiveOption) Value {
	return g.together(peer.CollectiveAllGather, "all_gather", "", x, peers, opts)
}

// Broadcast returns the value of one peer, the [Root], on all peers. All peers must give a value of the same
// shape.
func (g *Graph) Broadcast(x, peers Value, opts ...CollectiveOption) Value {
	return g.together(peer.CollectiveBroadcast, "broadcast", "", x, peers, opts)
}

// Reduce returns the reduction of the values of all peers on one of them, the [Root], and their own value on
// the others.
func (g *Graph) Reduce(x, peers Value, r Reduction, opts ...CollectiveOption) Value {
	return g.together(peer.CollectiveReduce, "reduce", r, x, peers, opts)
}

// Barrier returns a trigger that fires when all peers have reached it with their values when.
func (g *Graph) Barrier(peers Value, when []Value, opts ...CollectiveOption) Value {
	return g.together(peer.CollectiveBarrier, "barrier", "", Value{}, peers, opts, g.triggers(when)...)
}

// Slot is a pointer to a slot, such as a Model or a Component.
type Slot interface{ slotField }

// Enter begins a step of peers that others may join: peers that restart without a state, and peers that start
// late. It must come first in a round, and everything else waits for its result: the number of the step,
// which is the peer's own, or that of the other peers if it joins. Then its slots have their state.
//
//	step := rounds.Carry("step", g.Const([]int64{0}))
//	now := g.Enter(step, g.Peers("worker"), []dsl.Slot{&w.Model})
//
// Lost peers are left out, so all collectives of the class must have [IfLost] with [Repeat]. While no peer
// joins, nothing is sent.
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

// together records a collective.
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

// port returns a name that no other collective of the class has.
func (r *recorder) port(class, name string) string {
	full := name
	for i := 2; slices.Contains(r.ports, class+"."+full); i++ {
		full = fmt.Sprint(name, i)
	}
	r.ports = append(r.ports, class+"."+full)
	return full
}
