package peer

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A receiver is told what happens on a connection, on the goroutine of the loop where nothing else is said.
type receiver interface {
	deliver(b *batch) (progress bool)   // envelopes have come
	alive(c *conn)                      // anything has come
	pong(c *conn, p wire.Ping)          // the answer to a ping has come
	introduced(c *conn, m []byte) error // an introduction has come; called by the reader
	resume(c *conn)                     // the queued data have been written
}

// conn is the envelope stream to a peer, whose Hello was accepted.
type conn struct {
	shared   *shared
	to       receiver
	link     *link
	s        Stream
	frames   *conversation.Frames
	hello    wire.Hello
	dialed   bool // by this end
	out      *conversation.Queue
	batches  [2]batch
	stalled  bool      // the node had no room for a batch; belongs to the loop
	bulk     *bulkConn // belongs to the loop; nil: not needed yet
	opening  bool
	over     error               // why it has ended, while a connection that is dialed may replace it; belongs to the loop
	asked    atomic.Int32        // pings without an answer
	pings    conversation.Bucket // of the reader
	pace     pace
	moved    atomic.Int64  // when received bytes were reported last
	rtt      time.Duration // the shortest that was measured; belongs to the loop
	measured int64         // when it was asked for last; 0: never; belongs to the loop
	chunk    int           // bytes of a value that both ends take in an envelope of a parallel stream
	parallels

	written, ended chan struct{} // closed when the writer, and when the reader, is done
}

func newConn(sh *shared, to receiver, l *link, s Stream, f *conversation.Frames, hello wire.Hello, dialed bool) *conn {
	c := &conn{shared: sh, to: to, link: l, s: s, frames: f, hello: hello, dialed: dialed, out: conversation.NewQueue(), chunk: sh.limits.Wire.Chunk,
		written: make(chan struct{}), ended: make(chan struct{})}
	if dialed {
		c.conversation = hello.Conversation
	}
	if hello.MaxFill > 0 {
		c.chunk = int(min(uint64(c.chunk), hello.MaxFill))
	}
	c.moved.Store(sh.now())
	f.OnBytes(c.moves)
	initBatches(c, &c.batches)
	return c
}

// run reads and writes until the stream ends, and returns why.
func (c *conn) run() error {
	go func() {
		defer close(c.written)
		if err := c.out.Write(c.s, c.shared.times.stall, c.wrote); err != nil {
			c.close() // the reader reports the reason
		}
	}()
	err := c.read()
	close(c.ended)
	c.close()
	c.out.Close()
	return err
}

// drain writes the waiting messages and lets the other end read them: closing a connection with unread received
// bytes would discard what was written.
func (c *conn) drain() {
	c.out.Close()
	<-c.written
	c.parallels.drain()
	if w, ok := c.s.(interface{ CloseWrite() error }); ok && w.CloseWrite() == nil {
		<-c.ended
	}
}

func (c *conn) read() error {
	for i := 0; ; i ^= 1 {
		b := &c.batches[i]
		if err := b.wait(); err != nil {
			return err
		}
		if !c.link.waste.Rest(c.shared.ctx) {
			return c.shared.ctx.Err()
		}
		elsewhere, err := c.readBatch(b)
		c.link.received.Add(int64(len(b.buf)))
		c.shared.mail.Post(b.note)
		if err == nil && elsewhere != nil {
			err = elsewhere.pass()
		}
		if err != nil {
			return err
		}
	}
}

// readBatch reads the envelopes that have arrived into a batch. It ends before an envelope that comes on a
// parallel stream, which it returns.
func (c *conn) readBatch(b *batch) (elsewhere *parallel, err error) {
	limit := c.shared.limits.Wire.Envelope
	for {
		elsewhere, err = c.readOne(b, limit)
		if err != nil || elsewhere != nil || len(b.buf) >= batchBytes || !c.frames.More(limit) {
			return elsewhere, err
		}
	}
}

// readOne reads an envelope, or a message of the host itself: a ping, an introduction, or the number of the
// parallel stream on which the next envelope comes.
func (c *conn) readOne(b *batch, limit int) (elsewhere *parallel, err error) {
	at := len(b.buf)
	size, err := c.frames.Length(limit)
	if err != nil {
		return nil, err
	}
	buf, err := b.readInto(c.frames, size)
	if err != nil {
		return nil, err
	}
	switch m := buf[at:]; {
	case wire.IsPing(m):
		return nil, c.ping(m)
	case wire.IsIntroduction(m):
		return nil, c.to.introduced(c, m)
	case wire.IsParallel(m):
		return c.elsewhere(m)
	}
	b.buf = buf
	b.ends = append(b.ends, len(buf))
	if c.isLarge(size) { // this end may be the one that opens parallel streams, and send nothing large itself
		c.large.Add(int64(size))
	}
	return nil, nil
}

// moves treats received bytes as a sign of life: on a slow link answers wait behind long messages.
func (c *conn) moves() {
	now, last := c.shared.now(), c.moved.Load()
	if now-last < int64(c.heartbeat()/2) || !c.moved.CompareAndSwap(last, now) {
		return
	}
	c.shared.post(func() { c.to.alive(c) })
}

// ping answers a ping, independent of the loop, and treats an answer as a sign of life.
func (c *conn) ping(m []byte) error {
	p, err := wire.ConsumePing(m)
	if err != nil {
		return err
	}
	c.pace.set(p.Every)
	switch {
	case p.Answer && c.asked.Add(-1) < 0:
		return fmt.Errorf("%w: an answer to no ping", ErrFlood)
	case p.Answer:
		c.shared.post(func() { c.to.pong(c, p) })
	case !c.pings.Take(time.Now(), pingBurst, pingRate):
		return fmt.Errorf("%w: more than %d pings a second", ErrFlood, pingRate)
	default:
		c.sendPing(wire.Ping{ID: p.ID, Answer: true})
	}
	return nil
}

// How many pings of a peer are answered at once, and per second. A host sends one per second; after a
// connection was blocked several come together.
const (
	pingBurst = 100
	pingRate  = 10
)

// measureEvery is how many intervals of pings a measured round trip is used, if the peer is heard without pings.
const measureEvery = 10

// quiet reports whether a ping is due: nothing has been heard of the peer for most of an interval, or its round
// trip was not measured for long. So of two idle peers only one pings, and pings cost little while data move,
// which matters to a peer with thousands of others.
func (c *conn) quiet(now int64) bool {
	every := int64(c.heartbeat())
	return int64(c.silent(now)) > every*3/4 || c.measured == 0 || now-c.measured > measureEvery*every
}

// silent returns for how long nothing has been heard of the peer.
func (c *conn) silent(now int64) time.Duration { return time.Duration(now - c.moved.Load()) }

// askPing sends a ping.
func (c *conn) askPing(now int64) {
	c.measured = now
	c.asked.Add(1)
	c.sendPing(wire.Ping{ID: uint64(now) | 1})
}

func (c *conn) sendPing(p wire.Ping) {
	p.Unix, p.Every = uint64(time.Now().UnixNano()), uint64(c.shared.heartbeat())
	c.tell(wire.AppendPing(nil, p))
}

// tell sends a message of the host itself.
func (c *conn) tell(m []byte) {
	c.out.Append(func(b []byte) []byte { return conversation.AppendFrame(b, m) })
}

// wrote counts bytes that were written, and lets the node continue.
func (c *conn) wrote(n int) {
	c.link.sent.Add(int64(n))
	if c.out.Resuming() {
		c.shared.post(func() { c.to.resume(c) })
	}
}

// unwritten returns how many bytes wait to be written, on all streams of envelopes.
func (c *conn) unwritten() int {
	n := c.out.Unwritten()
	for _, p := range c.usable {
		n += p.out.Unwritten()
	}
	return n
}

// close ends all streams of envelopes.
func (c *conn) close() {
	c.s.Close()
	c.parallels.close()
}

// send queues an envelope, and reports whether the stream accepts no more for now.
func (c *conn) send(e *wire.Envelope) (full bool) {
	if p := c.choose(e.Size()); p != nil {
		c.tell(wire.AppendParallel(nil, wire.Parallel{Stream: p.number}))
		return p.send(e)
	}
	return c.out.Send(e) > conversation.HighWater
}

// longestPing is the longest interval of pings that a peer may ask for.
const longestPing = time.Minute

// pace is the interval of pings for which the other end of a connection asks, ns.
type pace struct{ told atomic.Int64 }

// set records the interval that a ping of the other end has told.
func (p *pace) set(every uint64) { p.told.Store(int64(min(every, uint64(longestPing)))) }

// heartbeat returns the interval of pings on a connection: the longer one of those of both ends.
func (c *conn) heartbeat() time.Duration {
	return max(c.shared.heartbeat(), time.Duration(c.pace.told.Load()))
}
