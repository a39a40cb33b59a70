package peer

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

var errUnasked = errors.New("the peer sends what nobody fetches")

// fetch has a peer send a payload.
func (h *host) fetch(from wire.PeerID, b wire.Bulk) {
	l := h.links[from]
	if l == nil || l.conn == nil {
		return // the envelope comes again on the next connection
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.inbound[b.ID]
	if t == nil || t.bulk != b {
		if t != nil {
			t.drop()
		}
		var err error
		if t, err = h.newTransfer(l, b); err != nil {
			delete(l.inbound, b.ID)
			if errors.Is(err, errNoPlace) { // until something of the peer's is done with
				l.deferred = append(l.deferred, b)
				return
			}
			h.log.Warn("bulk refused", "peer", from, "err", err)
			l.conn.s.Close()
			return
		}
		if l.inbound == nil {
			l.inbound = map[uint64]*transfer{}
		}
		l.inbound[b.ID] = t
	}
	t.wanted = true
	switch {
	case l.conn.bulk == nil:
		h.openBulk(l.conn)
	case !t.busy: // else the reader that is at it says when it has left
		l.conn.bulk.sendAck(t.ack(h))
	}
}

// fetchDeferred looks again for a place for payloads that had none.
func (h *host) fetchDeferred(l *link) {
	list := l.deferred
	l.deferred = nil
	for _, b := range list {
		h.fetch(l.ID, b)
	}
}

// resumeTransfer asks for the rest of a payload when the reader of an earlier
// connection has left it.
func (h *host) resumeTransfer(l *link, t *transfer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.wanted && !t.busy && l.inbound[t.bulk.ID] == t && l.conn != nil && l.conn.bulk != nil {
		l.conn.bulk.sendAck(t.ack(h))
	}
}

// filled gives the node a payload that is complete.
func (h *host) filled(l *link, t *transfer, data wire.Blob) {
	if l.conn == nil {
		data.Release()
		return
	}
	l.rested()
	h.node.Filled(h.now(), l.ID, t.bulk, data) // whichever connection it is: the payload is the same
}

// fetched begins to send a payload that a peer asks for.
func (h *host) fetched(b *bulkConn, a wire.Ack) {
	if b.conn.bulk != b || b.conn.link.conn != b.conn {
		return
	}
	data := h.node.Bulk(b.conn.link.ID, a.Bulk)
	if data != nil && a.Offset < data.Size() {
		b.start(a, data)
	}
}

// openBulk opens the bulk stream of a connection if this end has dialled it; the
// other end does otherwise.
func (h *host) openBulk(c *conn) {
	if !c.dialled || c.opening || c.bulk != nil {
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
				c.s.Close()
			}
		})
	}()
}

// attach makes a stream the bulk stream of a connection. What is fetched already
// is asked for on it.
func (h *host) attach(c *conn, s Stream, f *frames, theirs wire.Hello) error {
	if c.link.conn != c || c.bulk != nil || theirs.Incarnation != c.hello.Incarnation {
		s.Close()
		return fmt.Errorf("%w: a bulk stream without its connection", runtime.ErrProtocol)
	}
	c.bulk = newBulkConn(c, s, f)
	if !c.dialled {
		c.bulk.acks = appendFrame(nil, appendHello(h.hello))
	}
	l := c.link
	l.mu.Lock()
	for _, t := range l.inbound {
		if t.wanted && !t.busy {
			c.bulk.acks = appendFrame(c.bulk.acks, wire.AppendAck(nil, t.ack(h)))
		}
	}
	l.mu.Unlock()
	c.bulk.run()
	return nil
}

// bulkEnded ends the connection that a bulk stream belongs to.
func (h *host) bulkEnded(b *bulkConn, err error) {
	switch {
	case b.conn.link.conn != b.conn:
	case errors.Is(err, errNoPlace):
		h.rest(b.conn.link, err)
	default:
		h.log.Info("bulk stream ended", "peer", b.conn.link.ID, "err", err)
		b.conn.s.Close()
	}
}

// pauseTransfers keeps what has come of the payloads that a connection fetched
// when it ends. What the one before left, and this one did not ask for, is
// dropped.
func (h *host) pauseTransfers(l *link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deferred = nil
	for id, t := range l.inbound {
		if !t.wanted {
			delete(l.inbound, id)
			t.drop()
		}
		t.wanted = false
	}
}

// forgetTransfers drops what has come from a peer that was started anew: it
// names things anew.
func (h *host) forgetTransfers(l *link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.inbound {
		t.drop()
	}
	l.inbound = nil
}
