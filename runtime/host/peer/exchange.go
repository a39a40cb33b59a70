package peer

import (
	"errors"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// lendFrom is the size in bytes from which on an envelope is lent to the node: it is read in place, and the
// batch has to wait for that.
const lendFrom = 16 << 10

// deliver delivers a batch of envelopes to the node. If the node has no room, the rest of the batch waits,
// and so do later messages of the peer, as the reader has no other memory. It reports whether the node
// accepted an envelope, or the batch is finished.
func (h *host) deliver(b *batch) (progress bool) {
	at := 0
	if b.next > 0 {
		at = b.ends[b.next-1]
	}
	for b.next < len(b.ends) {
		if b.c.link.conn != b.c { // the channel has ended: the peer sends its messages again
			b.next = len(b.ends)
			break
		}
		err := error(runtime.ErrIngressFull)
		if !b.c.stalled { // otherwise it would overtake earlier ones
			err = h.hand(b, b.buf[at:b.ends[b.next]])
		}
		if errors.Is(err, runtime.ErrIngressFull) {
			b.c.stalled = true
			h.stalled = append(h.stalled, b)
			return progress
		}
		if err != nil {
			h.log.Warn("envelope refused", "peer", b.c.link.ID, "err", err)
			b.c.close()
			b.next = len(b.ends)
			break
		}
		at = b.ends[b.next]
		b.next++
		progress = true
	}
	h.spread(b.c)
	b.release()
	return true
}

// hand passes an envelope of a batch to the node. Envelopes with counted memory are lent with that memory. Of
// the two batches of a connection only one is lent at a time: otherwise a node that is busy with a snapshot
// or a command would stop the reader, which would miss the peer's pings.
func (h *host) hand(b *batch, envelope []byte) error {
	from := b.c.link.ID
	switch {
	case b.memory != nil && len(b.ends) == 1:
		err := h.node.Lend(h.now(), from, envelope, b.memory, b.memory.Release)
		if err == nil {
			b.buf, b.memory = nil, nil // the reader allocates other memory
		}
		return err
	case len(envelope) < lendFrom || b.memory != nil || b.twin.lent > 0:
		return h.node.Deliver(h.now(), from, envelope)
	}
	err := h.node.Lend(h.now(), from, envelope, nil, b.read)
	if err == nil {
		b.lent++
	}
	return err
}

// retryStalled delivers batches for which the node had no room, and reports whether it accepted any envelope.
func (h *host) retryStalled() bool {
	if len(h.stalled) == 0 {
		return false
	}
	list := h.stalled
	h.stalled = nil
	for _, b := range list {
		b.c.stalled = false
	}
	progress := false
	for _, b := range list {
		progress = h.deliver(b) || progress
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
		l.waste.Asked()
	}
	send := c.send
	if h.storm != nil {
		send = func(e *wire.Envelope) bool { return h.storm.send(c, e) }
	}
	if send(e) {
		h.pause(c)
	}
	h.spread(c)
	if c.dialed && c.bulk == nil && slices.ContainsFunc(e.Fills, func(f wire.SlotFill) bool { return f.Bulk.ID != 0 }) {
		h.openBulk(c)
	}
}

// pause tells the node to pause until queued data of a stream have been written, unless all have been meanwhile.
func (h *host) pause(c *conn) {
	if !c.out.Pausing() {
		return
	}
	h.node.Pause(c.link.ID)
	if c.unwritten() == 0 && c.out.Resuming() {
		h.node.Resume(h.now(), c.link.ID)
	}
}

// resume tells the node to continue when the queued data of a stream have been written.
func (h *host) resume(c *conn) {
	if c.link.conn == c {
		h.node.Resume(h.now(), c.link.ID)
	}
}
