package runtime

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Limits bound every queue and table of a [Node]. They grow as they are used;
// what is beyond a limit is dropped, counted and told as an [Overflow] event, or
// refused with an error where somebody is there to hear it.
type Limits struct {
	Wire       wire.Limits
	Ops        int   // operations of a Poll before it yields
	Executions int   // frames that live at a time
	Held       int   // bytes of payloads that those have taken, in memory
	Spooled    int64 // bytes of those in files, and of those that are fetched
	Commands   int   // commands that wait or run
	Outbound   int   // envelopes that are not acknowledged yet

	// OutboundBytes bounds the payloads of those. One that goes to many peers
	// counts once.
	OutboundBytes int
	Events        int // events that the host has not taken; the oldest are dropped
	Ingress       int // envelopes delivered and not yet read
	IngressBytes  int // their bytes
	Peers         int
	Timers        int // that executions wait for
	Queue         int // values in a queue of the program
	Ring          int // numbers in a ring of the program
	Window        int // values that a gate of the program knows again
	Origins       int // pairs of peer incarnation and module whose finished executions are remembered, for each peer on whose word they began
}

// What an int holds, if it is less.
const (
	maxOutbound = min(4<<30, math.MaxInt)
	maxHeld     = min(16<<30, math.MaxInt)
)

// inFairShare reports whether a peer that has so much of something bounded may have more
// of it. Nobody holds more than is left for the others, so that no peer uses up
// alone what is there for all.
//
// Invariant: 0 ≤ has ≤ used, so that the difference does not overflow.
func inFairShare[T int | int64](has, more, used, limit T) bool { return more <= limit-used-has }

// roomFor reports whether there is room for one more frame in the share of a peer, or in
// the node's own.
func (n *Node) roomFor(owner *peer) bool {
	if owner == nil || owner == n.self {
		return n.frames < n.limits.Executions
	}
	return inFairShare(owner.frames, 1, n.frames, forPeers(n.limits.Executions))
}

// charge puts a frame into the share of a peer, or into the node's own.
func (f *Frame) charge(owner *peer) {
	if p := f.owner; p != nil {
		p.frames--
		p.commands -= f.commands
		p.timers -= f.timers
	}
	if f.owner = owner; owner != nil {
		owner.frames++
		owner.commands += f.commands
		owner.timers += f.timers
	}
}

// payer is in whose share a contribution to a gather of the frame is: an answer is in the
// share of the frame that has asked for it. So those who answer take nothing from each
// other, however many are asked.
func (f *Frame) payer(g *gather, from *peer) *peer {
	if g.armed && g.asks(from) {
		return f.owner
	}
	return from
}

// forPeers is how much of something bounded peers may take up, all of them together. The
// rest is for the node itself: its own executions go on whatever peers do.
func forPeers(limit int) int { return limit - limit/8 }

// hold counts a payload in memory that a frame takes.
func (n *Node) hold(f *Frame, size int) error {
	has := 0
	if f.from != nil && f.from != n.self {
		has = f.from.held
	}
	if !inFairShare(has, size, n.held, n.limits.Held) {
		n.overflow("held")
		return fmt.Errorf("%w: %d bytes of payloads are held, %d of the peer's, and %d more come", ErrOverflow, n.held, has, size)
	}
	n.held += size
	f.held += size
	if f.from != nil {
		f.from.held += size
	}
	return nil
}

// holdFile counts a payload in a file of the host that a frame takes. There was room
// for it when it was fetched.
func (n *Node) holdFile(f *Frame, size int64) {
	n.reserve(f.from, size)
	f.spooled += size
}

// reserve counts bytes of a peer's payloads that are in files, or will be when they
// have been fetched.
func (n *Node) reserve(p *peer, size int64) {
	n.spooled += size
	if p != nil {
		p.spooled += size
	}
}

// DefaultLimits returns the limits of a peer on a server or desktop.
func DefaultLimits() Limits {
	return Limits{
		Wire:          wire.Default(),
		Ops:           1000,
		Executions:    65536,
		Held:          maxHeld,
		Spooled:       1 << 40,
		Commands:      10000,
		Outbound:      10000,
		OutboundBytes: maxOutbound,
		Events:        1024,
		Ingress:       4096,
		IngressBytes:  256 << 20,
		Peers:         16384,
		Timers:        65536,
		Queue:         4096,
		Ring:          1024,
		Window:        8192,
		Origins:       65536,
	}
}

// EdgeLimits returns the limits of a small device.
func EdgeLimits() Limits {
	l := DefaultLimits()
	l.Wire = wire.Edge()
	l.Executions = 1024
	l.Held = 256 << 20
	l.Spooled = 1 << 30
	l.IngressBytes = 8 << 20
	l.OutboundBytes = 64 << 20
	l.Origins = 4096
	return l
}
