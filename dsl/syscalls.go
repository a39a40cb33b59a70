package dsl

import (
	"slices"
	"time"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// service records a call of the engine with one output.
func (g *Graph) service(o *op.Op, name string, a ir.Attrs, in ...Value) Value {
	return g.do(step{op: o, attrs: a, outs: []string{name}, in: in})[0]
}

// same is like service, for an operator that returns the type of its first input.
func (g *Graph) same(o *op.Op, a ir.Attrs, in ...Value) Value {
	out := g.service(o, o.Name, a, in...)
	if !out.bad {
		out.peers = g.arrived(in[0]).peers
	}
	return out
}

// AtLeastOption is the minimum number of connected peers.
type AtLeastOption int

// AtLeast makes [Graph.Peers] wait until k peers of the class are connected.
func AtLeast(k int) AtLeastOption { return AtLeastOption(k) }

// Peers returns all admitted peers of a class, by rank.
func (g *Graph) Peers(of string, atLeast ...AtLeastOption) Value {
	if of == "" {
		return g.ofNoClass("Peers")
	}
	a := attrs("class", of)
	o := peer.PeersOf
	for _, k := range atLeast {
		if k < 1 {
			return g.r.fail("AtLeast(%d), want 1 or more", int(k))
		}
		o = peer.AwaitPeers
		a.Set("at_least", int64(k))
	}
	v := g.service(o, of+"s", a)
	if !v.bad {
		v.peers = &class{name: of}
	}
	return v
}

// PeerInTurn returns one peer of a class, the next in rank for each execution, so that the peers share the
// work. All calls in the same execution return the same peer, if they know the same peers.
func (g *Graph) PeerInTurn(of string) Value {
	if of == "" {
		return g.ofNoClass("PeerInTurn")
	}
	v := g.service(peer.PeerInTurn, of, attrs("class", of))
	if !v.bad {
		v.peers = &class{name: of}
	}
	return v
}

// ofNoClass reports that a word names no class of peers.
func (g *Graph) ofNoClass(word string) Value {
	return g.r.fail("%s: peers of which class? Give its name", word)
}

// Self returns the peer itself.
func (g *Graph) Self() Value {
	v := g.service(peer.Self, "self", nil)
	if !v.bad {
		v.peers = &class{name: g.class}
	}
	return v
}

// Pulse returns a trigger that fires once, when the peer starts to run.
func (g *Graph) Pulse() Value { return g.service(peer.Pulse, "pulse", nil) }

// Interval returns a trigger that fires after each period.
func (g *Graph) Interval(period time.Duration) Value {
	return g.service(peer.Interval, "interval", g.duration("period_ns", period))
}

// After returns a trigger that fires a delay after all given values are present.
func (g *Graph) After(delay time.Duration, when ...Value) Value {
	return g.service(peer.After, "after", g.duration("delay_ns", delay), g.triggers(when)...)
}

// Sleep returns x after a delay.
func (g *Graph) Sleep(x Value, d time.Duration, when ...Value) Value {
	return g.same(peer.Sleep, g.duration("duration_ns", d), append([]Value{x}, g.triggers(when)...)...)
}

func (g *Graph) duration(name string, d time.Duration) ir.Attrs {
	if d <= 0 {
		g.r.fail("the duration is %v, want more than 0", d)
	}
	return attrs(name, d.Nanoseconds())
}

// EventKind is a kind of event of the engine.
type EventKind string

// The kinds of events that can start an execution.
const (
	PeerUp      EventKind = "peer up"
	PeerSuspect EventKind = "peer suspect"
	PeerDown    EventKind = "peer down"
	Finished    EventKind = "finished"
	Failed      EventKind = "failed"
	Missing     EventKind = "missing"
	Late        EventKind = "late"
	Refused     EventKind = "refused"
	Overflow    EventKind = "overflow"
	Published   EventKind = "published"
	RoundShort  EventKind = "short"
)

// EventSource returns a trigger that fires for each event of a kind, and the peer that the event is about.
func (g *Graph) EventSource(kind EventKind) (trigger, about Value) {
	out := g.do(step{op: peer.EventSource, attrs: attrs("kind", string(kind)), outs: []string{"event", "event_peer"}})
	return out[0], out[len(out)-1]
}

// LifecyclePhase returns a trigger that fires when the peer enters a phase of its life: bootstrap, running,
// stopping or stopped.
func (g *Graph) LifecyclePhase(phase string) Value {
	if g.fn.phase != "" {
		return g.r.fail("LifecyclePhase in a Bootstrap, which nothing else begins: wait for the phase in the Body")
	}
	switch phase {
	case peer.PhaseBootstrap, peer.PhaseRunning, "stopping", "stopped":
		return g.service(peer.LifecyclePhase, "phase", attrs(peer.PhaseAttr, phase))
	}
	return g.r.fail("LifecyclePhase %q, want bootstrap, running, stopping or stopped", phase)
}

// Clock returns the time since the start of the peer's incarnation, in nanoseconds: int64[].
func (g *Graph) Clock(when ...Value) Value {
	return g.service(peer.Clock, "now", nil, g.triggers(when)...)
}

// RngU64 returns a random number: uint64[].
func (g *Graph) RngU64(when ...Value) Value {
	return g.service(peer.RngU64, "random", nil, g.triggers(when)...)
}

// CorrelateTag returns a number that no other call returns: uint64[].
func (g *Graph) CorrelateTag(when ...Value) Value {
	return g.service(peer.CorrelateTag, "tag", nil, g.triggers(when)...)
}

// FirstOf returns the value that arrives first. It is the reference's Any.
func (g *Graph) FirstOf(xs ...Value) Value {
	if slices.ContainsFunc(xs, func(x Value) bool { return x.value == nil }) {
		return g.r.fail("Any: a value is none, want values that may arrive")
	}
	out := g.same(peer.Any1, nil, xs...)
	if !out.bad && slices.ContainsFunc(xs, func(x Value) bool { return !samePeers(x.value, out.value) }) {
		out.peers = nil // which class they are of is known at run time
	}
	return out
}

// samePeers reports whether two values are peers of one class, or no peers.
func samePeers(a, b *value) bool {
	if a == nil || b == nil || a.peers == nil || b.peers == nil {
		return (a == nil || a.peers == nil) == (b == nil || b.peers == nil)
	}
	return *a.peers == *b.peers
}

// DeadlineMatch returns x if it arrives within d of the beginning of the execution on the peer, and instead
// otherwise. The second result reports whether x arrived in time. If instead arrives later than the execution begins, d counts from
// there: so for an answer, let it wait by [Graph.Gate] for a value that is present when the question is sent.
func (g *Graph) DeadlineMatch(x, instead Value, d time.Duration) (v, inTime Value) {
	out := g.do(step{op: peer.DeadlineMatch, attrs: g.duration("deadline_ns", d), outs: []string{"matched", "in_time"}, in: []Value{x, instead}})
	return out[0], out[len(out)-1]
}

// DeadlineCheck returns x if the execution on this peer is not older than d, and fails otherwise.
func (g *Graph) DeadlineCheck(x Value, d time.Duration) Value {
	return g.same(peer.DeadlineCheck, g.duration("deadline_ns", d), x)
}

// Gate returns x once all other values are present.
func (g *Graph) Gate(x Value, when ...Value) Value {
	return g.same(peer.Gate, nil, append([]Value{x}, when...)...)
}

// GateDispatch returns a trigger that fires when all values are present.
func (g *Graph) GateDispatch(xs ...Value) Value {
	return g.service(peer.GateDispatch, "all", nil, xs...)
}

// OnTrigger returns a trigger that fires when t is present.
func (g *Graph) OnTrigger(t Value) Value {
	return g.same(peer.OnTrigger, nil, g.triggers([]Value{t})...)
}

// PassThrough returns x.
func (g *Graph) PassThrough(x Value) Value { return g.same(peer.PassThrough, nil, x) }

// Tee returns n copies of x.
func (g *Graph) Tee(x Value, n int) []Value {
	names := make([]string, max(n, 1))
	for i := range names {
		names[i] = "tee"
	}
	return g.do(step{op: peer.Tee, outs: names, in: []Value{x}})
}

// DedupGateRx passes one value of each sender for each of its tags, and drops duplicates.
func (g *Graph) DedupGateRx(x, sender, tag Value) Value {
	return g.same(peer.DedupGateRx, attrs("name", "dedup"), x, sender, tag)
}

// PeerHealthGateRx passes a value if its sender is not down.
func (g *Graph) PeerHealthGateRx(x, sender Value) Value {
	return g.same(peer.PeerHealthGateRx, nil, x, sender)
}

// BackoffGateRx passes a value if its sender is not in backoff.
func (g *Graph) BackoffGateRx(x, sender Value) Value {
	return g.same(peer.BackoffGateRx, nil, x, sender)
}

// PeerHealthGateTx returns the peers that are not down.
func (g *Graph) PeerHealthGateTx(peers Value) Value { return g.same(peer.PeerHealthGateTx, nil, peers) }

// BackoffGateTx returns the peers that are not in backoff.
func (g *Graph) BackoffGateTx(peers Value) Value { return g.same(peer.BackoffGateTx, nil, peers) }

// Announce tells peers of a class that this peer is up, on the edge "announce".
func (g *Graph) Announce(peers Value) Value { return g.NetOut("announce", peers, g.Pulse()) }

// Insert records addresses at which a peer may be reached.
func (g *Graph) Insert(p Value, addresses ...Value) Value {
	o := peer.BookInsert
	if len(addresses) > 1 {
		o = peer.BookInsertMany
	}
	return g.service(o, "inserted", nil, append([]Value{p}, addresses...)...)
}

// Lookup returns an address at which a peer may be reached.
func (g *Graph) Lookup(p Value) Value { return g.service(peer.BookLookup, "address", nil, p) }

// AppEmit passes a value to the host.
func (g *Graph) AppEmit(name string, x Value) Value {
	return g.service(peer.AppEmit, "emitted", attrs("name", name), x)
}

// AppNotify notifies the host, and every EventSource of kind Published, of an event. The names that the
// engine uses for loops of rounds are reserved.
func (g *Graph) AppNotify(name string, when ...Value) Value {
	if name == "begun" || name == "done" {
		return g.r.fail("AppNotify %q: loops of rounds send events of that name: choose another one", name)
	}
	return g.service(peer.AppNotify, "notified", attrs("name", name), g.triggers(when)...)
}

// BootstrapOutput passes a result of a Bootstrap to the host.
func (g *Graph) BootstrapOutput(name string, x Value) Value {
	if g.fn.phase == "" {
		return g.r.fail("BootstrapOutput: this is not a Bootstrap; AppEmit is for others")
	}
	return g.service(peer.BootstrapOutput, "emitted", attrs("name", name), x)
}

// Record adds a number to a ring buffer of the latest ones, which the host can read.
func (g *Graph) Record(name string, x Value) Value {
	if x.value != nil && !x.bad && x.ir.Type.Elem != tensor.Float64 {
		x = g.Cast(x, tensor.Float64)
	}
	return g.service(peer.Record, "recorded", attrs("name", name), x)
}

// IncrMetric adds delta to a counter, which the host can read, when the given values are present.
func (g *Graph) IncrMetric(name string, delta int, when ...Value) Value {
	return g.service(peer.IncrMetric, "counted", attrs("name", name, "delta", delta), g.triggers(when)...)
}

// triggers returns triggers for values of any type. Each fires when its value is present.
func (g *Graph) triggers(vs []Value) []Value {
	out := make([]Value, len(vs))
	for i, v := range vs {
		if out[i] = v; v.value != nil && !v.bad && !v.ir.Type.Equal(peer.Trigger) {
			out[i] = g.GateDispatch(v)
		}
	}
	return out
}

// Bundle combines several values into one, so that they cross an edge together.
func (g *Graph) Bundle(xs ...Value) Value { return g.service(peer.Bundle, "bundle", nil, xs...) }

// Unbundle returns the values of a bundle.
func (g *Graph) Unbundle(b Value) []Value {
	b = g.arrived(b)
	if b.value == nil || b.bad {
		return g.bad(1)
	}
	parts, err := peer.BundleParts(b.ir.Type)
	if err != nil {
		g.r.fail("Unbundle: %v", err)
		return g.bad(1)
	}
	names := make([]string, len(parts))
	for i := range names {
		names[i] = "part"
	}
	return g.do(step{op: peer.Unbundle, outs: names, in: []Value{b}})
}

func bundleType(parts ...ir.Type) ir.Type { return peer.BundleOf(parts) }
