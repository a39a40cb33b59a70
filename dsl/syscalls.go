package dsl

import (
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

// same is service for an operator whose output is as its first input.
func (g *Graph) same(o *op.Op, a ir.Attrs, in ...Value) Value {
	out := g.service(o, o.Name, a, in...)
	if !out.bad {
		out.peers = g.arrived(in[0]).peers
	}
	return out
}

// AtLeastOption is how many peers must be connected.
type AtLeastOption int

// AtLeast has [Graph.Peers] wait until k peers of the class are connected.
func AtLeast(k int) AtLeastOption { return AtLeastOption(k) }

// Peers returns all admitted peers of a class, by rank.
func (g *Graph) Peers(of string, atLeast ...AtLeastOption) Value {
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

// PeerInTurn returns one peer of a class, the next in rank for each execution, so that
// the peers of the class share the work. All that ask in the same execution are
// told the same, if they know the same peers.
func (g *Graph) PeerInTurn(of string) Value {
	v := g.service(peer.PeerInTurn, of, attrs("class", of))
	if !v.bad {
		v.peers = &class{name: of}
	}
	return v
}

// Self returns the peer itself.
func (g *Graph) Self() Value {
	v := g.service(peer.Self, "self", nil)
	if !v.bad {
		v.peers = &class{name: g.class}
	}
	return v
}

// Pulse is there once, when the peer runs.
func (g *Graph) Pulse() Value { return g.service(peer.Pulse, "pulse", nil) }

// Interval is there again and again, after each period.
func (g *Graph) Interval(period time.Duration) Value {
	return g.service(peer.Interval, "interval", g.duration("period_ns", period))
}

// After is there a while after the others are.
func (g *Graph) After(delay time.Duration, when ...Value) Value {
	return g.service(peer.After, "after", g.duration("delay_ns", delay), g.triggers(when)...)
}

// Sleep passes a value on after a while.
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

// The kinds of events that executions can begin with.
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

// EventSource is there for each event of a kind, with the peer that it is about.
func (g *Graph) EventSource(kind EventKind) (trigger, about Value) {
	out := g.do(step{op: peer.EventSource, attrs: attrs("kind", string(kind)), outs: []string{"event", "event_peer"}})
	return out[0], out[len(out)-1]
}

// LifecyclePhase is there when the peer's life comes to a phase: bootstrap,
// running, stopping or stopped.
func (g *Graph) LifecyclePhase(phase string) Value {
	if g.fn.phase != "" {
		return g.r.fail("LifecyclePhase in a Bootstrap, which nothing else begins: wait for the phase in the Body")
	}
	switch phase {
	case "bootstrap", "running", "stopping", "stopped":
		return g.service(peer.LifecyclePhase, "phase", attrs("phase", phase))
	}
	return g.r.fail("LifecyclePhase %q, want bootstrap, running, stopping or stopped", phase)
}

// Clock returns the time since the peer's incarnation began, in nanoseconds: int64[].
func (g *Graph) Clock(when ...Value) Value {
	return g.service(peer.Clock, "now", nil, g.triggers(when)...)
}

// RngU64 returns a random number: uint64[].
func (g *Graph) RngU64(when ...Value) Value {
	return g.service(peer.RngU64, "random", nil, g.triggers(when)...)
}

// CorrelateTag returns a number that no other call gives: uint64[].
func (g *Graph) CorrelateTag(when ...Value) Value {
	return g.service(peer.CorrelateTag, "tag", nil, g.triggers(when)...)
}

// FirstOf is whichever of the values comes first. It is the reference's Any.
func (g *Graph) FirstOf(xs ...Value) Value { return g.same(peer.Any1, nil, xs...) }

// DeadlineMatch returns x if it comes within d of the execution's beginning on the
// peer, else what is given instead; and whether it came.
func (g *Graph) DeadlineMatch(x, instead Value, d time.Duration) (v, inTime Value) {
	out := g.do(step{op: peer.DeadlineMatch, attrs: g.duration("deadline_ns", d), outs: []string{"matched", "in_time"}, in: []Value{x, instead}})
	return out[0], out[len(out)-1]
}

// DeadlineCheck passes x on if the execution on this peer is not older than d, and
// fails otherwise.
func (g *Graph) DeadlineCheck(x Value, d time.Duration) Value {
	return g.same(peer.DeadlineCheck, g.duration("deadline_ns", d), x)
}

// Gate passes x on when the others have come.
func (g *Graph) Gate(x Value, when ...Value) Value {
	return g.same(peer.Gate, nil, append([]Value{x}, when...)...)
}

// GateDispatch is there when all of the values are.
func (g *Graph) GateDispatch(xs ...Value) Value {
	return g.service(peer.GateDispatch, "all", nil, xs...)
}

// OnTrigger passes a trigger on, and makes one of any other value.
func (g *Graph) OnTrigger(t Value) Value {
	return g.same(peer.OnTrigger, nil, g.triggers([]Value{t})...)
}

// PassThrough passes a value on.
func (g *Graph) PassThrough(x Value) Value { return g.same(peer.PassThrough, nil, x) }

// Tee passes a value on n times.
func (g *Graph) Tee(x Value, n int) []Value {
	names := make([]string, max(n, 1))
	for i := range names {
		names[i] = "tee"
	}
	return g.do(step{op: peer.Tee, outs: names, in: []Value{x}})
}

// DedupGateRx lets one value of a sender through for each tag that it gave it.
func (g *Graph) DedupGateRx(x, sender, tag Value) Value {
	return g.same(peer.DedupGateRx, attrs("name", "dedup"), x, sender, tag)
}

// PeerHealthGateRx lets a value through if its sender is not down.
func (g *Graph) PeerHealthGateRx(x, sender Value) Value {
	return g.same(peer.PeerHealthGateRx, nil, x, sender)
}

// BackoffGateRx lets a value through if its sender is not out of favour.
func (g *Graph) BackoffGateRx(x, sender Value) Value {
	return g.same(peer.BackoffGateRx, nil, x, sender)
}

// PeerHealthGateTx are those peers that are not down.
func (g *Graph) PeerHealthGateTx(peers Value) Value { return g.same(peer.PeerHealthGateTx, nil, peers) }

// BackoffGateTx are those peers that are not to be left alone for now.
func (g *Graph) BackoffGateTx(peers Value) Value { return g.same(peer.BackoffGateTx, nil, peers) }

// Announce tells peers of a class that this one is there, on the edge "announce".
func (g *Graph) Announce(peers Value) Value { return g.NetOut("announce", peers, g.Pulse()) }

// Insert notes that a peer may be reached at addresses.
func (g *Graph) Insert(p Value, addresses ...Value) Value {
	o := peer.BookInsert
	if len(addresses) > 1 {
		o = peer.BookInsertMany
	}
	return g.service(o, "inserted", nil, append([]Value{p}, addresses...)...)
}

// Lookup returns where a peer may be reached.
func (g *Graph) Lookup(p Value) Value { return g.service(peer.BookLookup, "address", nil, p) }

// AppEmit gives a value to the host.
func (g *Graph) AppEmit(name string, x Value) Value {
	return g.service(peer.AppEmit, "emitted", attrs("name", name), x)
}

// AppNotify tells the host, and whoever has an EventSource of Published, that
// something has happened. What the engine tells of loops of rounds it tells alone.
func (g *Graph) AppNotify(name string, when ...Value) Value {
	if name == "begun" || name == "done" {
		return g.r.fail("AppNotify %q: that is what loops of rounds tell; want another name", name)
	}
	return g.service(peer.AppNotify, "notified", attrs("name", name), g.triggers(when)...)
}

// BootstrapOutput gives the host what a Bootstrap has found out.
func (g *Graph) BootstrapOutput(name string, x Value) Value {
	if g.fn.phase == "" {
		return g.r.fail("BootstrapOutput: this is not a Bootstrap; AppEmit is for others")
	}
	return g.service(peer.BootstrapOutput, "emitted", attrs("name", name), x)
}

// Record puts a number into a ring of the latest ones, which the host can read.
func (g *Graph) Record(name string, x Value) Value {
	if x.value != nil && !x.bad && x.ir.Type.Elem != tensor.Float64 {
		x = g.Cast(x, tensor.Float64)
	}
	return g.service(peer.Record, "recorded", attrs("name", name), x)
}

// IncrMetric adds to a counter, which the host can read, when a value is there.
func (g *Graph) IncrMetric(name string, delta int, when ...Value) Value {
	return g.service(peer.IncrMetric, "counted", attrs("name", name, "delta", delta), g.triggers(when)...)
}

// triggers are triggers for values of whatever type, there when those are.
func (g *Graph) triggers(vs []Value) []Value {
	out := make([]Value, len(vs))
	for i, v := range vs {
		if out[i] = v; v.value != nil && !v.bad && !v.ir.Type.Equal(peer.Trigger) {
			out[i] = g.GateDispatch(v)
		}
	}
	return out
}

// Bundle makes one value of several, so that they cross an edge together.
func (g *Graph) Bundle(xs ...Value) Value { return g.service(peer.Bundle, "bundle", nil, xs...) }

// Unbundle gives the values of a bundle back.
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
