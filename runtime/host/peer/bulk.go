package peer

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// fetch asks a peer to send a payload.
func (h *host) fetch(from wire.PeerID, b wire.Bulk) {
	l := h.links[from]
	if l == nil || l.conn == nil {
		return // the envelope comes again on the next connection
	}
	ask, ok, err := l.Inbound.Fetch(b, h.spool, &h.Limits.Wire)
	switch {
	case errors.Is(err, conversation.ErrNoPlace):
	case err != nil:
		h.log.Warn("bulk refused", "peer", from, "err", err)
		l.conn.Close()
	case l.bulk == nil:
		h.openBulk(l)
	case ok:
		l.bulk.Out.Acknowledge(ask)
	}
}

// fetchDeferred tries again to find places for payloads that had none.
func (h *host) fetchDeferred(l *link) {
	for _, b := range l.Inbound.Waiting() {
		h.fetch(l.ID, b)
	}
}

// Interrupted asks for the rest of a payload when the reader of an earlier connection has released it.
func (h *host) Interrupted(b *connection.Bulk, t conversation.Taken) {
	l := h.links[b.Conn.Peer()]
	if l.conn == nil || l.bulk == nil {
		return
	}
	if ask, ok := l.Inbound.Resume(t); ok {
		l.bulk.Out.Acknowledge(ask)
	}
}

// Filled passes a complete payload to the node.
func (h *host) Filled(b *connection.Bulk, t conversation.Taken) {
	l := h.links[b.Conn.Peer()]
	if l.conn == nil {
		t.Data.Release()
		return
	}
	l.rested()
	h.node.Filled(h.Now(), l.ID, t.Bulk, t.Data) // on any connection: the payload is the same
}

// load reads a received value from its file into memory, outside of the loop.
func (h *host) load(from wire.PeerID, file wire.Blob) {
	go func() {
		value, err := wire.Loaded(file)
		h.Post(func() {
			defer file.Release()
			if err != nil {
				h.log.Warn("a received value cannot be read", "peer", from, "err", err)
				h.node.Loaded(h.Now(), from, file, nil)
				return
			}
			h.node.Loaded(h.Now(), from, file, value)
		})
	}()
}

// Fetched begins to send a payload that a peer asks for.
func (h *host) Fetched(b *connection.Bulk, a wire.Ack) {
	l := h.links[b.Conn.Peer()]
	if l.conn != b.Conn || l.bulk != b {
		return
	}
	data := h.node.Bulk(l.ID, a.Bulk)
	if data != nil && a.Offset < data.Size() {
		b.Out.Start(a, data)
	}
}

// openBulk opens the bulk stream of the connection to a peer if this end has dialed it; otherwise the other end does.
func (h *host) openBulk(l *link) {
	c := l.conn
	if !c.Dialed || l.opening || l.bulk != nil {
		return
	}
	l.opening = true
	id, at, hello := l.ID, h.places(l), h.hello
	go func() {
		s, f, theirs, err := h.dialStream(id, at, BulkStream, hello)
		h.Post(func() {
			if err == nil {
				err = h.attach(l, c, s, f, theirs)
			}
			if err != nil {
				h.log.Warn("no bulk stream", "peer", l.ID, "err", err)
				c.Close()
			}
		})
	}()
}

// attach makes a stream the bulk stream of a connection, and asks on it for the payloads that are being
// fetched.
func (h *host) attach(l *link, c *connection.Conn, s Stream, f *conversation.Frames, theirs wire.Hello) error {
	if l.conn != c || l.bulk != nil || theirs.Incarnation != c.Hello.Incarnation {
		s.Close()
		return fmt.Errorf("%w: a bulk stream without its connection", runtime.ErrProtocol)
	}
	l.bulk = connection.NewBulk(h, c, s, f)
	if !c.Dialed {
		l.bulk.Out.Tell(connection.AppendHello(h.hello))
	}
	for _, ask := range l.Inbound.Wanted() {
		l.bulk.Out.Acknowledge(ask)
	}
	l.bulk.Start()
	return nil
}

// BulkEnded ends the connection of a bulk stream.
func (h *host) BulkEnded(b *connection.Bulk, err error) {
	l := h.links[b.Conn.Peer()]
	switch {
	case l.conn != b.Conn:
	case errors.Is(err, conversation.ErrNoPlace):
		h.rest(l, err)
	default:
		h.log.Info("bulk stream ended", "peer", l.ID, "err", err)
		l.conn.Close()
	}
}
