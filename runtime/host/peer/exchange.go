package peer

import (
	"errors"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Deliver delivers a batch of envelopes to the node. If the node has no room, the rest of the batch waits,
// and so do later messages of the peer, as the reader has no other memory. It reports whether the node
// accepted an envelope, or the batch is finished.
func (h *host) Deliver(b *connection.Batch) (progress bool) {
	l := h.links[b.Conn.Peer()]
	if l.conn != b.Conn { // the channel has ended: the peer sends its messages again
		b.Drop()
		b.Release()
		return true
	}
	for b.Left() > 0 {
		err := error(runtime.ErrIngressFull)
		if !l.stalled { // otherwise it would overtake earlier ones
			err = b.Hand(h.node)
		}
		if errors.Is(err, runtime.ErrIngressFull) {
			l.stalled = true
			h.stalled = append(h.stalled, b)
			return progress
		}
		if err != nil {
			h.log.Warn("envelope refused", "peer", l.ID, "err", err)
			l.conn.Close()
			b.Drop()
			break
		}
		progress = true
	}
	h.spread(l)
	b.Release()
	return true
}

// retryStalled delivers batches for which the node had no room, and reports whether it accepted any envelope.
func (h *host) retryStalled() bool {
	if len(h.stalled) == 0 {
		return false
	}
	list := h.stalled
	h.stalled = nil
	for _, b := range list {
		h.links[b.Conn.Peer()].stalled = false
	}
	progress := false
	for _, b := range list {
		progress = h.Deliver(b) || progress
	}
	return progress
}

// send queues an envelope for a peer that is connected.
func (h *host) send(to wire.PeerID, e *wire.Envelope) {
	l := h.links[to]
	if l == nil || l.conn == nil {
		return // it is sent again on the next connection
	}
	c := l.conn
	if e.Seq > 0 {
		l.Waste.Asked()
	}
	send := c.Send
	if h.storm != nil {
		send = func(e *wire.Envelope) bool { return h.storm.send(c, e) }
	}
	if send(e) {
		h.pause(l)
	}
	h.spread(l)
	if c.Dialed && l.bulk == nil && slices.ContainsFunc(e.Fills, func(f wire.SlotFill) bool { return f.Bulk.ID != 0 }) {
		h.openBulk(l)
	}
}

// pause tells the node to pause until queued data of a stream have been written, unless all have been meanwhile.
func (h *host) pause(l *link) {
	if !l.conn.Out.Pausing() {
		return
	}
	h.node.Pause(l.ID)
	if l.conn.Unwritten() == 0 && l.conn.Out.Resuming() {
		h.node.Resume(h.Now(), l.ID)
	}
}

// Resume tells the node to continue when the queued data of a stream have been written.
func (h *host) Resume(c *connection.Conn) {
	if h.links[c.Peer()].conn == c {
		h.node.Resume(h.Now(), c.Peer())
	}
}
