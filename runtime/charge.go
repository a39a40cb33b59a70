package runtime

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/wire"
)

// share returns the peer's part of the ledger, or nil for no peer.
func (p *peer) share() *ledger.Share {
	if p == nil {
		return nil
	}
	return &p.uses
}

// charge moves a frame, its commands and its timers to the share of another peer, or to none.
func (f *Frame) charge(owner *peer) {
	f.countShare(-1)
	f.owner = owner
	f.countShare(1)
}

// countShare adds the frame, its commands and its timers to the share in which it counts, or removes them with -1.
func (f *Frame) countShare(times int64) {
	if f.owner == nil {
		return
	}
	s := &f.owner.uses
	s.Add(ledger.Frames, times)
	s.Add(ledger.Commands, times*int64(f.commands))
	s.Add(ledger.Timers, times*int64(f.timers))
}

// payer returns the peer in whose share a contribution to a gather of the frame counts. An answer counts in the
// share of the frame that asked for it, so that answering peers do not use up each other's shares.
func (f *Frame) payer(g *gather, from *peer) *peer {
	if g.Armed && g.Asks(from.index) {
		return f.owner
	}
	return from
}

// mayHold reports whether there is room in memory for a payload of an edge. There is for one payload of a size that
// the program determines, even if that alone exceeds the limit.
func (n *Node) mayHold(from *ledger.Share, e *Edge, size int64) bool {
	return n.ledger.Admits(from, ledger.Held, size) || e.Size > 0 && n.ledger.Used(ledger.Held) == 0
}

// hold counts a payload that a frame keeps in memory.
func (n *Node) hold(f *Frame, e *Edge, size int) error {
	from := f.from.share()
	if !n.mayHold(from, e, int64(size)) {
		n.overflow("held")
		return fmt.Errorf("%w: %d bytes of payloads are held, %d of the peer's, and %d more come", ErrOverflow, n.ledger.Used(ledger.Held), from.Used(ledger.Held), size)
	}
	n.ledger.Add(from, ledger.Held, int64(size))
	f.held += size
	return nil
}

// holdFile counts a payload that a frame keeps in a file of the host. Its room was reserved before it was
// fetched.
func (n *Node) holdFile(f *Frame, size int64) {
	n.ledger.Add(f.from.share(), ledger.Spooled, size)
	f.spooled += size
}

// isFile reports whether a value is in a file.
func isFile(x wire.Blob) bool { return x != nil && x.Size() > 0 && x.Bytes() == nil }
