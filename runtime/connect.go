package runtime

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/internal/estimate"
	"github.com/bbgen/bbgen/runtime/internal/inbox"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Hello returns the first message of the Node on every channel.
func (n *Node) Hello() wire.Hello {
	return wire.Hello{
		Protocol:    wire.Protocol,
		Fingerprint: n.partition.Fingerprint,
		Classes:     classes.Split(n.partition.Class),
		Incarnation: n.config.Incarnation,
		Fresh:       !n.restored,
		MaxEnvelope: uint64(n.limits.Wire.Envelope),
		MaxFill:     uint64(n.limits.Wire.Fill),
		KernelLevel: n.config.KernelLevel,
		BuildID:     n.config.BuildID,
	}
}

// Check returns an error if a peer that sends this hello would be refused. It changes nothing.
func (n *Node) Check(id wire.PeerID, hello *wire.Hello) error {
	p := n.peer(id)
	switch {
	case p == nil:
		return fmt.Errorf("peer %v: %w: invite it, or name it in -peers", id, ErrUnknownPeer)
	case p.blocked:
		return fmt.Errorf("peer %v: %w", id, ErrBlocked)
	case n.now < p.ignoredUntil: // messages that it sends now would be lost
		return fmt.Errorf("peer %v: %w: %d ms more", id, ErrIgnored, (p.ignoredUntil-n.now)/1e6+1)
	}
	if err := n.checkHello(p, hello); err != nil {
		return fmt.Errorf("peer %v: %w", id, err)
	}
	return nil
}

// checkHello returns an error if a peer cannot take part. The class in its Hello must be the one that it was
// admitted with.
func (n *Node) checkHello(p *peer, h *wire.Hello) error {
	switch {
	case h.Protocol != wire.Protocol:
		return fmt.Errorf("%w: its version is %d, this peer's %d: bring both to one version of bbgen", ErrProtocol, h.Protocol, wire.Protocol)
	case !n.accepts(h.Fingerprint):
		return fmt.Errorf("%w: it runs %x, this is %x: build both from one program, or start the newer with -accept", ErrProgram, h.Fingerprint, n.partition.Fingerprint)
	case !classes.Is(classes.Join(h.Classes...), p.Class):
		return fmt.Errorf("%w: it claims %q, is admitted as %q: invite it as what it is", ErrClass, h.Classes, p.Class)
	case h.MaxFill > 0 && h.MaxFill < limits.MinTaken, h.MaxEnvelope > 0 && h.MaxEnvelope < limits.MinTaken:
		return fmt.Errorf("%w: fills of %d bytes and envelopes of %d, want %d at least: raise its limits", ErrTooLittle, h.MaxFill, h.MaxEnvelope, limits.MinTaken)
	case h.Incarnation == 0:
		return fmt.Errorf("%w: it has none", ErrIncarnation)
	case h.Incarnation < p.incarnation:
		return fmt.Errorf("%w: %d, seen %d: another process has its key, or its clock went back", ErrIncarnation, h.Incarnation, p.incarnation)
	}
	return nil
}

// accepts reports whether a fingerprint is that of this program, or the one of Config.Accept.
func (n *Node) accepts(fingerprint []byte) bool {
	return bytes.Equal(fingerprint, n.partition.Fingerprint) || len(n.config.Accept) > 0 && bytes.Equal(fingerprint, n.config.Accept)
}

// Connected reports a channel to a peer and the peer's hello. All unacknowledged envelopes are sent again.
func (n *Node) Connected(now int64, id wire.PeerID, hello *wire.Hello) error {
	n.advance(now)
	p := n.peer(id)
	if err := n.Check(id, hello); err != nil {
		return err
	}
	if n.isDown(p) || p.incarnation == 0 {
		n.queueEvent(Event{Kind: PeerUp, Peer: p.id})
	}
	isKnown := cmp.Or(p.incarnation, p.restored) != 0
	isAnew := hello.Fresh && hello.Incarnation != cmp.Or(p.incarnation, p.restored)
	p.incarnation, p.connected, p.dialing, p.attempts = hello.Incarnation, true, false, 0
	n.count(p)
	n.down.Remove(p.index)
	p.suspect, p.hungUp, p.paused, p.unnumbered, p.told, p.lastSeen = false, false, false, false, false, n.now
	p.before = p.inbox
	p.silence, p.inbox = estimate.Estimate{}, inbox.Inbox{}
	p.outbox.Accept(bound(hello.MaxEnvelope, n.limits.Wire.Envelope), bound(hello.MaxFill, n.limits.Wire.Chunk))
	p.outbox.Rewind()
	n.forget(p)
	n.dropOutputs(p)
	if isAnew {
		n.leaveOutRestarted(p)
	}
	if isAnew && isKnown {
		n.handleRestart(p)
	}
	n.driveAllCalls(p)
	n.schedule(p)
	n.peersCame()
	return nil
}

// bound returns the smaller of the limits of a peer and of this one, or this one's if the peer sends none.
func bound(theirs uint64, ours int) int {
	if theirs == 0 || theirs > uint64(ours) {
		return ours
	}
	return int(theirs)
}

// forget drops unread messages of an earlier connection: their numbers are invalid on the new one, on which all
// of them come again.
func (n *Node) forget(p *peer) {
	for q := p.intake; q != nil && q.queue.Len() > 0; {
		if a, _ := n.ingress.next(q); a.borrowed != nil {
			a.borrowed.done()
		}
	}
	n.early.drop(p)
	for _, a := range p.awaited {
		n.dropAwaited(p, a)
	}
	p.awaited = nil
}

// dropOutputs drops what the host has not been asked yet to do with the previous connection of a peer: messages go out again
// on the new one.
func (n *Node) dropOutputs(p *peer) {
	for range n.out.Len() {
		if o := n.out.Pop(); o.peer != p || o.kind != Send && o.kind != Hangup {
			n.out.Push(o)
		}
	}
}

// Pause reports that the channel to a peer accepts no more messages for now. Messages wait, except those that
// Poll has already returned, until Resume or the next channel.
func (n *Node) Pause(id wire.PeerID) {
	if p := n.peer(id); p != nil {
		p.paused = true
	}
}

// Resume reports that the channel to a peer accepts messages again.
func (n *Node) Resume(now int64, id wire.PeerID) {
	n.advance(now)
	if p := n.peer(id); p != nil && p.paused {
		p.paused = false
		n.schedule(p)
	}
}

// Disconnected reports that the channel to a peer was closed. A peer counts as down at once if its
// process has ended.
func (n *Node) Disconnected(now int64, id wire.PeerID, err error) {
	n.advance(now)
	if p := n.peer(id); p != nil {
		p.connected, p.dialing, p.hungUp = false, false, false
		n.count(p)
		n.dropAwaitingBulk(p)
		n.setDown(p, err)
		n.retry(p)
		n.lease(p)
	}
}

// DialFailed reports that a peer could not be reached. The Node requests another dial with increasing delays, while it has
// messages for the peer.
func (n *Node) DialFailed(now int64, id wire.PeerID, err error) {
	n.advance(now)
	if p := n.peer(id); p != nil && !p.connected {
		p.dialing = false
		n.setDown(p, err)
		n.retry(p)
		n.reexamine = n.reexamine || len(n.communicators) > 0 // the peer may count as lost now
	}
}

func (n *Node) retry(p *peer) {
	if !p.waiting {
		p.waiting = true
		n.setPeerTimer(p, retryPeer, n.now+backoff(p.attempts))
		p.attempts++
	}
}

// Block refuses all messages of a peer from now on, and sends no message to it.
func (n *Node) Block(id wire.PeerID) {
	if p := n.peer(id); p != nil && p != n.self {
		p.blocked = true
		n.count(p)
		n.dropAwaitingBulk(p)
		n.setDown(p, ErrBlocked)
		n.endLease(p)
		n.reexamine = true // a Node that is stopping waits no more for the peer to acknowledge messages
	}
}

// Alive reports a sign of life of a peer that is no envelope, such as an answer to the host's ping.
func (n *Node) Alive(now int64, id wire.PeerID) {
	n.advance(now)
	if p := n.peer(id); p != nil {
		n.alive(p)
	}
}
