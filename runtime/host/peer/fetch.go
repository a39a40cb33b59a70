package peer

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// fetch asks a peer to send a payload.
func (h *host) fetch(from wire.PeerID, b wire.Bulk) {
	l := h.links[from]
	if l == nil || l.conn == nil {
		return // the envelope comes again on the next connection
	}
	ask, ok, err := l.inbound.Fetch(b, h.spool, &h.limits.Wire)
	switch {
	case errors.Is(err, conversation.ErrNoPlace):
	case err != nil:
		h.log.Warn("bulk refused", "peer", from, "err", err)
		l.conn.close()
	case l.conn.bulk == nil:
		h.openBulk(l.conn)
	case ok:
		l.conn.bulk.out.Acknowledge(ask)
	}
}

// fetchDeferred tries again to find places for payloads that had none.
func (h *host) fetchDeferred(l *link) {
	for _, b := range l.inbound.Waiting() {
		h.fetch(l.ID, b)
	}
}

// resumeTransfer asks for the rest of a payload when the reader of an earlier connection has released it.
func (h *host) resumeTransfer(l *link, t conversation.Taken) {
	if l.conn == nil || l.conn.bulk == nil {
		return
	}
	if ask, ok := l.inbound.Resume(t); ok {
		l.conn.bulk.out.Acknowledge(ask)
	}
}

// filled passes a complete payload to the node.
func (h *host) filled(l *link, t conversation.Taken) {
	if l.conn == nil {
		t.Data.Release()
		return
	}
	l.rested()
	h.node.Filled(h.now(), l.ID, t.Bulk, t.Data) // on any connection: the payload is the same
}

// load reads a received value from its file into memory, outside of the loop.
func (h *host) load(from wire.PeerID, file wire.Blob) {
	go func() {
		value, err := wire.Loaded(file)
		h.post(func() {
			defer file.Release()
			if err != nil {
				h.log.Warn("a received value cannot be read", "peer", from, "err", err)
				h.node.Loaded(h.now(), from, file, nil)
				return
			}
			h.node.Loaded(h.now(), from, file, value)
		})
	}()
}

// fetched begins to send a payload that a peer asks for.
func (h *host) fetched(b *bulkConn, a wire.Ack) {
	if b.conn.bulk != b || b.conn.link.conn != b.conn {
		return
	}
	data := h.node.Bulk(b.conn.link.ID, a.Bulk)
	if data != nil && a.Offset < data.Size() {
		b.out.Start(a, data)
	}
}

// openBulk opens the bulk stream of a connection if this end has dialed it; otherwise the other end does.
func (h *host) openBulk(c *conn) {
	if !c.dialed || c.opening || c.bulk != nil {
		return
	}
	c.opening = true
	l, hello := c.link, h.hello
	id, at := l.ID, h.places(l)
	go func() {
		s, f, theirs, err := h.dialStream(id, at, BulkStream, hello)
		h.post(func() {
			if err == nil {
				err = h.attach(c, s, f, theirs)
			}
			if err != nil {
				h.log.Warn("no bulk stream", "peer", l.ID, "err", err)
				c.close()
			}
		})
	}()
}

// attach makes a stream the bulk stream of a connection, and asks on it for the payloads that are being
// fetched.
func (h *host) attach(c *conn, s Stream, f *conversation.Frames, theirs wire.Hello) error {
	if c.link.conn != c || c.bulk != nil || theirs.Incarnation != c.hello.Incarnation {
		s.Close()
		return fmt.Errorf("%w: a bulk stream without its connection", runtime.ErrProtocol)
	}
	c.bulk = newBulkConn(c, s, f)
	if !c.dialed {
		c.bulk.out.Tell(appendHello(h.hello))
	}
	for _, ask := range c.link.inbound.Wanted() {
		c.bulk.out.Acknowledge(ask)
	}
	c.bulk.run()
	return nil
}

// bulkEnded ends the connection of a bulk stream.
func (h *host) bulkEnded(b *bulkConn, err error) {
	switch {
	case b.conn.link.conn != b.conn:
	case errors.Is(err, conversation.ErrNoPlace):
		h.rest(b.conn.link, err)
	default:
		h.log.Info("bulk stream ended", "peer", b.conn.link.ID, "err", err)
		b.conn.close()
	}
}
