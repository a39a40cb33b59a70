package runtime

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Envelopes of bytesandbrains 0.3 name no execution, have no number, and are never acknowledged. They do have the
// number of a request, which a peer uses once: it is that of an execution of the peer, and the answer has it, too. So
// duplicates have no effect, as with other envelopes. But what a broken connection or a crash loses is not sent again, in
// either direction: the peer does not say what it has received.

// isUnnumbered reports whether an envelope with fills names no execution.
func isUnnumbered(e *wire.Envelope) bool { return len(e.Fills) > 0 && e.Exec.IsZero() }

// checkUnnumbered returns an error if it is unknown to which execution an envelope belongs.
func checkUnnumbered(e *wire.Envelope) error {
	switch {
	case !isUnnumbered(e):
		return nil
	case e.Seq > 0:
		return fmt.Errorf("%w: %d fills in envelope %d", ErrNoExec, len(e.Fills), e.Seq)
	case e.Request.Kind != wire.Request || e.Request.ID == 0:
		return fmt.Errorf("%w: %d fills, and no number of a request in its place", ErrNoExec, len(e.Fills))
	case slices.ContainsFunc(e.Fills, func(f wire.SlotFill) bool { return f.Bulk.ID != 0 }):
		return fmt.Errorf("%w: a payload in chunks", ErrNoExec)
	}
	return nil
}

// identify gives an envelope of a peer the execution that its request begins.
func (n *Node) identify(p *peer, e *wire.Envelope) {
	if !p.unnumbered {
		p.unnumbered = true
		n.handed = append(n.handed, p) // it has received what was sent before, or never will
	}
	e.Exec = wire.ExecID{Origin: p.id, Incarnation: p.incarnation, Number: e.Request.ID}
}

// answers returns what tells a peer without executions which of its requests an envelope answers.
func (p *peer) answers(x wire.ExecID) wire.Correlation {
	if !p.unnumbered || x.Origin != p.id || x.Incarnation != p.incarnation {
		return wire.Correlation{}
	}
	return wire.Correlation{Kind: wire.Response, ID: x.Number}
}

// dropHanded drops the envelopes that the host has sent to peers that acknowledge none.
func (n *Node) dropHanded() {
	for i, p := range n.handed {
		n.handed[i] = nil
		for o := &p.outbox; o.IsAcknowledged(o.Last()); {
			o.Acknowledge(n.now)
		}
		if p.outbox.Progressed() {
			n.schedule(p)
		}
	}
	n.handed = n.handed[:0]
}
