package dsl

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Hold stores one value of a peer between executions.
type Hold struct {
	g    *Graph
	name string
	typ  Type
}

// Hold returns the store with the given name, for a value of the given type.
func (g *Graph) Hold(name string, t Type) Hold { return Hold{g, name, t} }

// Stash stores a value and replaces the stored one.
func (h Hold) Stash(x Value) Value {
	return h.g.service(peer.HoldStash, "stashed", attrs("name", h.name), x)
}

// Flush removes and returns the stored value. It fails if there is none.
func (h Hold) Flush(when ...Value) Value { return h.g.stored(peer.HoldFlush, h.name, h.typ, when) }

// stored records a node that returns a stored value.
func (g *Graph) stored(o *op.Op, name string, t Type, when []Value) Value {
	if t.parts != nil {
		return g.r.fail("%q is for bundles, which cannot be stored: use one for each of their values", name)
	}
	return g.do(step{op: o, attrs: attrs("name", name), outs: []string{name}, types: []Type{t}, in: g.triggers(when)})[0]
}

// Queue passes values of a peer from one execution to another, in order: values that
// other peers of its class send arrive in executions of those peers.
//
//	q := g.Queue("in", dsl.Float32(4))
//	q.Enqueue(g.Input("half", dsl.Float32(4))) // in the neighbour's execution
//	y := g.Add(q.Dequeue(x), x)                // in the peer's own
type Queue struct {
	g    *Graph
	name string
	typ  Type
}

// Queue returns the queue with the given name, for values of the given type. It is the reference's Serialize.
func (g *Graph) Queue(name string, t Type) Queue { return Queue{g, name, t} }

// Enqueue appends a value to the queue.
func (q Queue) Enqueue(x Value) Value {
	return q.g.service(peer.SerializeEnqueue, "queued", attrs("name", q.name), x)
}

// Dequeue removes and returns the first value. It waits until there is one.
func (q Queue) Dequeue(when ...Value) Value {
	return q.g.stored(peer.SerializeDequeue, q.name, q.typ, when)
}

// Limit is a semaphore of a peer.
type Limit struct {
	g    *Graph
	name string
	n    int
}

// Limit returns the semaphore with the given name and n permits.
func (g *Graph) Limit(name string, n int) Limit {
	if n < 1 {
		g.r.fail("Limit %q: %d permits, want 1 or more", name, n)
	}
	return Limit{g, name, n}
}

// Acquire takes a permit. It fails if none is left.
func (l Limit) Acquire(when ...Value) Value {
	return l.g.service(peer.LimitAcquire, "acquired", attrs("name", l.name, "n", l.n), l.g.triggers(when)...)
}

// Release returns a permit.
func (l Limit) Release(when ...Value) Value {
	return l.g.service(peer.LimitRelease, "released", attrs("name", l.name, "n", l.n), l.g.triggers(when)...)
}
