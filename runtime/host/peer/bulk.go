package peer

import (
	goruntime "runtime"

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

func newBulkConn(c *conn, s Stream, f *conversation.Frames) *bulkConn {
	chunk := c.h.limits.Wire.Chunk
	if theirs := c.hello.MaxFill; theirs > 0 && theirs < uint64(chunk) {
		chunk = int(theirs)
	}
	f.OnBytes(c.moves)
	return &bulkConn{h: c.h, conn: c, s: s, frames: f, out: conversation.NewSender(chunk), asks: make(chan struct{}, maxAsks)}
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
