package dsl

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Hold keeps one value of a peer from one execution to another.
type Hold struct {
	g    *Graph
	name string
	typ  Type
}

// Hold returns the place of the given name for a value of the given type.
func (g *Graph) Hold(name string, t Type) Hold { return Hold{g, name, t} }

// Stash keeps a value, in the place of the one that is held.
func (h Hold) Stash(x Value) Value {
	return h.g.service(peer.HoldStash, "stashed", attrs("name", h.name), x)
}

// Flush takes the value that is held, and fails if there is none.
func (h Hold) Flush(when ...Value) Value { return h.g.stored(peer.HoldFlush, h.name, h.typ, when) }

// stored returns a value that a store gives back.
func (g *Graph) stored(o *op.Op, name string, t Type, when []Value) Value {
	return g.do(step{op: o, attrs: attrs("name", name), outs: []string{name}, types: []Type{t}, in: g.triggers(when)})[0]
}

// Queue takes values of a peer from one execution to another, in their order: what
// others of its class send comes in theirs.
//
//	q := g.Queue("in", dsl.Float32(4))
//	q.Enqueue(g.Input("half", dsl.Float32(4))) // in the neighbour's execution
//	y := g.Add(q.Dequeue(x), x)                // in the peer's own
type Queue struct {
	g    *Graph
	name string
	typ  Type
}

// Queue returns the queue of the given name, of values of the given type. It is the
// reference's Serialize.
func (g *Graph) Queue(name string, t Type) Queue { return Queue{g, name, t} }

// Enqueue puts a value at the end.
func (q Queue) Enqueue(x Value) Value {
	return q.g.service(peer.SerializeEnqueue, "queued", attrs("name", q.name), x)
}

// Dequeue takes the first value, and waits until there is one.
func (q Queue) Dequeue(when ...Value) Value {
	return q.g.stored(peer.SerializeDequeue, q.name, q.typ, when)
}

// Limit is a number of permits of a peer.
type Limit struct {
	g    *Graph
	name string
	n    int
}

// Limit returns the permits of the given name, n of them.
func (g *Graph) Limit(name string, n int) Limit {
	if n < 1 {
		g.r.fail("Limit %q: %d permits, want 1 or more", name, n)
	}
	return Limit{g, name, n}
}

// Acquire takes a permit, and fails if none is left.
func (l Limit) Acquire(when ...Value) Value {
	return l.g.service(peer.LimitAcquire, "acquired", attrs("name", l.name, "n", l.n), l.g.triggers(when)...)
}

// Release gives a permit back.
func (l Limit) Release(when ...Value) Value {
	return l.g.service(peer.LimitRelease, "released", attrs("name", l.name, "n", l.n), l.g.triggers(when)...)
}
