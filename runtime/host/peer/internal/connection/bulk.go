package connection

import (
	goruntime "runtime"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A BulkReceiver is told what happens on a bulk stream, on the goroutine of the loop.
type BulkReceiver interface {
	Fetched(b *Bulk, a wire.Ack)               // the peer fetches a payload, or more of it
	Filled(b *Bulk, t conversation.Taken)      // a payload is complete
	Interrupted(b *Bulk, t conversation.Taken) // the rest of a payload is to be requested again
	BulkEnded(b *Bulk, err error)
}

// Bulk is the bulk stream to a peer: chunks of the payloads that the peer fetches and acknowledgements of those that
// this peer fetches, in both directions.
type Bulk struct {
	Conn *Conn                // the envelope stream to which it belongs: they end together
	Out  *conversation.Sender // what is written
	to   BulkReceiver
	s    Stream
	f    *conversation.Frames
	asks chan struct{} // has a place for each request that the loop has not handled
}

// maxAsks is how many requests for payloads may wait for the loop.
const maxAsks = 64

// NewBulk makes a stream the bulk stream of a connection.
func NewBulk(to BulkReceiver, c *Conn, s Stream, f *conversation.Frames) *Bulk {
	chunk := c.shared.Limits.Wire.Chunk
	if theirs := c.Hello.MaxFill; theirs > 0 && theirs < uint64(chunk) {
		chunk = int(theirs)
	}
	f.OnBytes(c.moves)
	return &Bulk{Conn: c, Out: conversation.NewSender(chunk), to: to, s: s, f: f, asks: make(chan struct{}, maxAsks)}
}

// Start begins to read and write until the stream ends.
func (b *Bulk) Start() {
	go func() {
		if err := b.Out.Write(b.s, b.Conn.shared.Times.Stall, func(n int) { b.Conn.account.Sent.Add(int64(n)) }); err != nil {
			b.s.Close()
		}
	}()
	go func() {
		err := b.read()
		b.Out.Close()
		b.s.Close()
		b.Conn.shared.Post(func() { b.to.BulkEnded(b, err) })
	}()
}

// Close ends the stream.
func (b *Bulk) Close() { b.s.Close() }

func (b *Bulk) read() error {
	limit := b.Conn.shared.Limits.Wire.Chunk + wire.ChunkHead
	for {
		size, err := b.f.Length(limit)
		if err != nil {
			return err
		}
		head, err := b.f.Peek(min(size, wire.ChunkHead))
		if err != nil {
			return err
		}
		b.Conn.account.Received.Add(int64(size))
		if wire.IsAck(head) {
			var m []byte
			if m, err = b.f.Rest(nil, size); err == nil {
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
func (b *Bulk) ack(m []byte) error {
	a, err := wire.ConsumeAck(m)
	if err != nil || b.Out.Heard(a) {
		return err
	}
	return b.ask(a)
}

// ask makes the loop start a payload that the peer fetches. The reader waits for room in the loop's queue.
func (b *Bulk) ask(a wire.Ack) error {
	sh := b.Conn.shared
	select {
	case b.asks <- struct{}{}:
	case <-sh.Ctx.Done():
		return sh.Ctx.Err()
	}
	sh.Post(func() {
		<-b.asks
		b.to.Fetched(b, a)
	})
	return nil
}

// take reads a chunk of size bytes, whose first bytes are peeked at, into its place. It acknowledges the chunk,
// or passes the complete payload to the loop.
func (b *Bulk) take(peeked []byte, size int) error {
	sh := b.Conn.shared
	t, err := b.Conn.account.Inbound.Take(b.f, peeked, size, &sh.Limits.Wire)
	switch {
	case t.Left:
		sh.Post(func() { b.to.Interrupted(b, t) })
	case t.Acks:
		b.Out.Acknowledge(t.Ack)
	}
	if t.Data != nil {
		sh.Post(func() { b.to.Filled(b, t) })
	}
	return err
}
