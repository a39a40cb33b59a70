package peer

import (
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// bulkConn is the bulk stream to a peer: chunks of the payloads that the peer fetches and acknowledgements of
// those that this peer fetches, in both directions.
type bulkConn struct {
	h      *host
	conn   *conn // the envelope stream to which it belongs: they end together
	s      Stream
	frames *conversation.Frames
	out    *conversation.Sender
	asks   chan struct{} // has a place for each request that the loop has not handled
}

// maxAsks is how many requests for payloads may wait for the loop.
const maxAsks = 64

func newBulkConn(h *host, c *conn, s Stream, f *conversation.Frames) *bulkConn {
	chunk := h.limits.Wire.Chunk
	if theirs := c.hello.MaxFill; theirs > 0 && theirs < uint64(chunk) {
		chunk = int(theirs)
	}
	f.OnBytes(c.moves)
	return &bulkConn{h: h, conn: c, s: s, frames: f, out: conversation.NewSender(chunk), asks: make(chan struct{}, maxAsks)}
}

// run reads and writes until the stream ends, then ends the connection.
func (b *bulkConn) run() {
	go func() {
		if err := b.out.Write(b.s, b.h.times.stall, func(n int) { b.conn.link.sent.Add(int64(n)) }); err != nil {
			b.s.Close()
		}
	}()
	go func() {
		err := b.read()
		b.out.Close()
		b.s.Close()
		b.h.post(func() { b.h.bulkEnded(b, err) })
	}()
}

func (b *bulkConn) read() error {
	limit := b.h.limits.Wire.Chunk + wire.ChunkHead
	for {
		size, err := b.frames.Length(limit)
		if err != nil {
			return err
		}
		head, err := b.frames.Peek(min(size, wire.ChunkHead))
		if err != nil {
			return err
		}
		b.conn.link.received.Add(int64(size))
		if wire.IsAck(head) {
			var m []byte
			if m, err = b.frames.Rest(nil, size); err == nil {
				err = b.ack(m)
			}
		} else {
			err = b.take(head, size)
			goruntime.Gosched() // on a single core, a busy reader would block the loop
		}
		if err != nil {
			return err
		}
	}
}

// ack handles an acknowledgement of the peer, or its request for a payload.
func (b *bulkConn) ack(m []byte) error {
	a, err := wire.ConsumeAck(m)
	if err != nil || b.out.Heard(a) {
		return err
	}
	return b.ask(a)
}

// ask makes the loop start a payload that the peer fetches. The reader waits for room in the loop's queue.
func (b *bulkConn) ask(a wire.Ack) error {
	select {
	case b.asks <- struct{}{}:
	case <-b.h.ctx.Done():
		return b.h.ctx.Err()
	}
	b.h.post(func() {
		<-b.asks
		b.h.fetched(b, a)
	})
	return nil
}

// take reads a chunk of size bytes, whose first bytes are peeked at, into its place. It acknowledges the chunk,
// or passes the complete payload to the loop.
func (b *bulkConn) take(peeked []byte, size int) error {
	l := b.conn.link
	t, err := l.inbound.Take(b.frames, peeked, size, &b.h.limits.Wire)
	switch {
	case t.Left:
		b.h.post(func() { b.h.resumeTransfer(l, t) })
	case t.Acks:
		b.out.Acknowledge(t.Ack)
	}
	if t.Data != nil {
		b.h.post(func() { b.h.filled(l, t) })
	}
	return err
}

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
	c.bulk = newBulkConn(h, c, s, f)
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
