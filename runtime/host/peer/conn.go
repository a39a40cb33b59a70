package peer

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// conn is the envelope stream to a peer, whose Hello was accepted.
type conn struct {
	h       *host
	link    *link
	s       Stream
	frames  *conversation.Frames
	hello   wire.Hello
	dialed  bool // by this end
	out     *conversation.Queue
	batches [2]batch
	bulk    *bulkConn // belongs to the loop; nil: not needed yet
	opening bool
	asked   atomic.Int32        // pings without an answer
	pings   conversation.Bucket // of the reader
	moved   atomic.Int64        // when received bytes were reported last

	written, ended chan struct{} // closed when the writer, and when the reader, is done
}

// batch is a group of envelopes that came together: a reader fills one batch while the loop delivers the other.
type batch struct {
	c      *conn
	twin   *batch
	note   note
	buf    []byte
	memory *tensor.Memory // the memory of buf for an envelope of large values, with a reference
	ends   []int          // of the envelopes in buf
	next   int            // the first envelope that was not delivered
	lent   int            // how many delivered envelopes the node has yet to read
	free   chan struct{}  // holds a token while the reader may fill the batch

	read func() // called when the node has read a lent envelope
}

const (
	batchBytes = 64 << 10 // a batch of this size is not filled further
	keepBatch  = 1 << 20
)

func newConn(h *host, l *link, s Stream, f *conversation.Frames, hello wire.Hello, dialed bool) *conn {
	c := &conn{h: h, link: l, s: s, frames: f, hello: hello, dialed: dialed, out: conversation.NewQueue(),
		written: make(chan struct{}), ended: make(chan struct{})}
	f.OnBytes(c.moves)
	for i := range c.batches {
		b := &c.batches[i]
		b.c, b.twin, b.free = c, &c.batches[i^1], make(chan struct{}, 1)
		b.free <- struct{}{}
		b.note.do = func() { h.deliver(b) }
		b.read = func() {
			b.lent--
			b.release()
		}
	}
	return c
}

// run reads and writes until the stream ends.
func (c *conn) run() {
	go func() {
		defer close(c.written)
		err := c.out.Write(c.s, c.h.times.stall, func(n int) {
			c.link.sent.Add(int64(n))
			if c.out.Resuming() {
				c.h.post(func() { c.h.resume(c) })
			}
		})
		if err != nil {
			c.s.Close() // the reader reports the reason
		}
	}()
	go func() {
		err := c.read()
		close(c.ended)
		c.s.Close()
		c.out.Close()
		c.h.post(func() { c.h.disconnected(c, err) })
	}()
}

// drain writes the waiting messages and lets the other end read them: closing a connection with unread received
// bytes would discard what was written.
func (c *conn) drain() {
	c.out.Close()
	<-c.written
	if w, ok := c.s.(interface{ CloseWrite() error }); ok && w.CloseWrite() == nil {
		<-c.ended
	}
}

func (c *conn) read() error {
	limit := c.h.limits.Wire.Envelope
	for i := 0; ; i ^= 1 {
		b := &c.batches[i]
		select {
		case <-b.free:
		case <-c.h.ctx.Done(): // the host has ended
			return c.h.ctx.Err()
		}
		if !c.link.waste.Rest(c.h.ctx) {
			return c.h.ctx.Err()
		}
		b.reset()
		for {
			if err := c.readOne(b, limit); err != nil {
				c.h.mail.post(&b.note)
				return err
			}
			if len(b.buf) >= batchBytes || !c.frames.More(limit) {
				break
			}
		}
		c.link.received.Add(int64(len(b.buf)))
		c.h.mail.post(&b.note)
	}
}

// release lets the reader fill the batch when the node needs none of its bytes any more.
func (b *batch) release() {
	if b.lent == 0 && b.next == len(b.ends) {
		b.free <- struct{}{}
	}
}

func (b *batch) reset() {
	if b.memory != nil || cap(b.buf) > keepBatch {
		b.buf = nil
	}
	b.memory.Release()
	b.memory = nil
	b.buf, b.ends, b.next = b.buf[:0], b.ends[:0], 0
}

// readOne reads an envelope, or a message of the host itself: a ping or an introduction.
func (c *conn) readOne(b *batch, limit int) error {
	at := len(b.buf)
	size, err := c.frames.Length(limit)
	if err != nil {
		return err
	}
	if at == 0 && tensor.AreLarge(size) && size <= c.h.limits.Wire.Chunk+headRoom {
		if err := b.hold(size); err != nil {
			return err
		}
	}
	buf, err := c.frames.Rest(b.buf, size)
	if err != nil {
		return err
	}
	switch m := buf[at:]; {
	case wire.IsPing(m):
		return c.ping(m)
	case wire.IsIntroduction(m):
		return c.h.introduced(c, m)
	}
	b.buf = buf
	b.ends = append(b.ends, len(buf))
	return nil
}

// headRoom is an upper bound of the size of an envelope of one value, without the value.
const headRoom = 4 << 10

// hold prepares the batch for its first envelope, of size bytes, in memory with a reference count. The first
// large value is aligned for its elements, so that it need not be copied.
func (b *batch) hold(size int) error {
	head, err := b.c.frames.Peek(min(size, headRoom))
	if err != nil {
		return err
	}
	b.memory = tensor.NewMemory(size + lineSize)
	b.buf = b.memory.Bytes()[-uint(wire.PayloadAt(head))%lineSize:][:0]
	return nil
}

// lineSize is the size of a cache line. Memory begins at one.
const lineSize = 64

// moves treats received bytes as a sign of life: on a slow link answers wait behind long messages.
func (c *conn) moves() {
	now, last := c.h.now(), c.moved.Load()
	if now-last < int64(c.h.times.ping/2) || !c.moved.CompareAndSwap(last, now) {
		return
	}
	c.h.post(func() {
		if c.link.conn == c {
			c.h.node.Alive(c.h.now(), c.link.ID)
		}
	})
}

// ping answers a ping, independent of the loop, and treats an answer as a sign of life.
func (c *conn) ping(m []byte) error {
	p, err := wire.ConsumePing(m)
	if err != nil {
		return err
	}
	switch {
	case p.Answer && c.asked.Add(-1) < 0:
		return fmt.Errorf("%w: an answer to no ping", ErrFlood)
	case p.Answer:
		c.h.post(func() { c.h.pong(c, p) })
	case !c.pings.Take(time.Now(), pingBurst, pingRate):
		return fmt.Errorf("%w: more than %d pings a second", ErrFlood, pingRate)
	default:
		c.sendPing(wire.Ping{ID: p.ID, Answer: true, Unix: uint64(time.Now().UnixNano())})
	}
	return nil
}

// How many pings of a peer are answered at once, and per second. A host sends one per second; after a
// connection was blocked several come together.
const (
	pingBurst = 100
	pingRate  = 10
)

// askPing sends a ping.
func (c *conn) askPing(now int64) {
	c.asked.Add(1)
	c.sendPing(wire.Ping{ID: uint64(now) | 1, Unix: uint64(time.Now().UnixNano())})
}

func (c *conn) sendPing(p wire.Ping) {
	c.tell(wire.AppendPing(nil, p))
}

// tell sends a message of the host itself.
func (c *conn) tell(m []byte) {
	c.out.Append(func(b []byte) []byte { return conversation.AppendFrame(b, m) })
}

// send queues an envelope, and reports whether the stream accepts no more for now.
func (c *conn) send(e *wire.Envelope) (full bool) {
	return c.out.Send(e) > conversation.HighWater
}
