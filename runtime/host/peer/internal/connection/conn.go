package connection

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Receiver is told what happens on a connection, on the goroutine of the loop where nothing else is said.
type Receiver interface {
	Deliver(b *Batch) (progress bool)              // envelopes have come
	Alive(c *Conn)                                 // anything has come
	Pong(c *Conn, p wire.Ping)                     // the answer to a ping has come
	Introduced(from wire.PeerID, msg []byte) error // an introduction has come; called by the reader
	Resume(c *Conn)                                // the queued data have been written
}

// Conn is the envelope stream to a peer, whose Hello was accepted, with its parallel streams. Its methods are for the
// loop, except where noted.
type Conn struct {
	Hello  wire.Hello          // of the peer
	Dialed bool                // by this end
	Out    *conversation.Queue // what is written on the envelope stream

	shared   *Shared
	to       Receiver
	account  *Account
	s        Stream
	frames   *conversation.Frames
	batches  [2]Batch
	asked    atomic.Int32        // pings without an answer
	pings    conversation.Bucket // of the reader
	pace     pace
	moved    atomic.Int64 // when received bytes were reported last
	measured int64        // when the round trip was asked for last; 0: never; belongs to the loop
	chunk    int          // bytes of a value that both ends take in an envelope of a parallel stream
	parallels

	written, ended chan struct{} // closed when the writer, and when the reader, is done
}

// New makes a stream the envelope stream to a peer, which has sent a Hello on it.
func New(sh *Shared, to Receiver, a *Account, s Stream, f *conversation.Frames, hello wire.Hello, dialed bool) *Conn {
	c := &Conn{Hello: hello, Dialed: dialed, Out: conversation.NewQueue(), shared: sh, to: to, account: a, s: s, frames: f, chunk: sh.Limits.Wire.Chunk,
		written: make(chan struct{}), ended: make(chan struct{})}
	if dialed {
		c.conversation = hello.Conversation
	}
	if hello.MaxFill > 0 {
		c.chunk = int(min(uint64(c.chunk), hello.MaxFill))
	}
	c.moved.Store(sh.Now())
	f.OnBytes(c.moves)
	initBatches(c, &c.batches)
	return c
}

// Peer returns the id of the peer, which the stream has proven.
func (c *Conn) Peer() wire.PeerID { return c.s.Peer() }

// Run reads and writes until the stream ends, and returns why. It is for a goroutine of its own.
func (c *Conn) Run() error {
	go func() {
		defer close(c.written)
		if err := c.Out.Write(c.s, c.shared.Times.Stall, c.wrote); err != nil {
			c.Close() // the reader reports the reason
		}
	}()
	err := c.read()
	close(c.ended)
	c.Close()
	c.Out.Close()
	return err
}

// Drain writes the waiting messages and lets the other end read them: closing a connection with unread received
// bytes would discard what was written. It is for a goroutine of its own.
func (c *Conn) Drain() {
	c.Out.Close()
	<-c.written
	c.parallels.drain()
	if w, ok := c.s.(interface{ CloseWrite() error }); ok && w.CloseWrite() == nil {
		<-c.ended
	}
}

func (c *Conn) read() error {
	for i := 0; ; i ^= 1 {
		b := &c.batches[i]
		if err := b.wait(); err != nil {
			return err
		}
		if !c.account.Waste.Rest(c.shared.Ctx) {
			return c.shared.Ctx.Err()
		}
		elsewhere, err := c.readBatch(b)
		c.account.Received.Add(int64(len(b.buf)))
		c.shared.Mail.Post(b.note)
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
func (c *Conn) readBatch(b *Batch) (elsewhere *Parallel, err error) {
	limit := c.shared.Limits.Wire.Envelope
	for {
		elsewhere, err = c.readOne(b, limit)
		if err != nil || elsewhere != nil || len(b.buf) >= batchBytes || !c.frames.More(limit) {
			return elsewhere, err
		}
	}
}

// readOne reads an envelope, or a message of the host itself: a ping, an introduction, or the number of the
// parallel stream on which the next envelope comes.
func (c *Conn) readOne(b *Batch, limit int) (elsewhere *Parallel, err error) {
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
		return nil, c.to.Introduced(c.Peer(), m)
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
func (c *Conn) moves() {
	now, last := c.shared.Now(), c.moved.Load()
	if now-last < int64(c.Heartbeat()/2) || !c.moved.CompareAndSwap(last, now) {
		return
	}
	c.shared.Post(func() { c.to.Alive(c) })
}

// ping answers a ping, independent of the loop, and treats an answer as a sign of life.
func (c *Conn) ping(m []byte) error {
	p, err := wire.ConsumePing(m)
	if err != nil {
		return err
	}
	c.pace.set(p.Every)
	switch {
	case p.Answer && c.asked.Add(-1) < 0:
		return fmt.Errorf("%w: an answer to no ping", ErrFlood)
	case p.Answer:
		c.shared.Post(func() { c.to.Pong(c, p) })
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

// Quiet reports whether a ping is due: nothing has been heard of the peer for most of an interval, or its round
// trip was not measured for long. So of two idle peers only one pings, and pings cost little while data move,
// which matters to a peer with thousands of others.
func (c *Conn) Quiet(now int64) bool {
	every := int64(c.Heartbeat())
	return int64(c.Silent(now)) > every*3/4 || c.measured == 0 || now-c.measured > measureEvery*every
}

// Silent returns for how long nothing has been heard of the peer.
func (c *Conn) Silent(now int64) time.Duration { return time.Duration(now - c.moved.Load()) }

// AskPing sends a ping.
func (c *Conn) AskPing(now int64) {
	c.measured = now
	c.asked.Add(1)
	c.sendPing(wire.Ping{ID: uint64(now) | 1})
}

func (c *Conn) sendPing(p wire.Ping) {
	p.Unix, p.Every = uint64(time.Now().UnixNano()), uint64(c.shared.Heartbeat())
	c.Tell(wire.AppendPing(nil, p))
}

// Tell sends a message of the host itself.
func (c *Conn) Tell(m []byte) {
	c.Out.Append(func(b []byte) []byte { return conversation.AppendFrame(b, m) })
}

// wrote counts bytes that were written, and lets the node continue.
func (c *Conn) wrote(n int) {
	c.account.Sent.Add(int64(n))
	if c.Out.Resuming() {
		c.shared.Post(func() { c.to.Resume(c) })
	}
}

// Unwritten returns how many bytes wait to be written, on all streams of envelopes.
func (c *Conn) Unwritten() int {
	n := c.Out.Unwritten()
	for _, p := range c.usable {
		n += p.out.Unwritten()
	}
	return n
}

// Close ends all streams of envelopes. It is safe for concurrent use.
func (c *Conn) Close() {
	c.s.Close()
	c.parallels.close()
}

// Send queues an envelope, and reports whether the stream accepts no more for now.
func (c *Conn) Send(e *wire.Envelope) (full bool) {
	if p := c.choose(e.Size()); p != nil {
		c.Tell(wire.AppendParallel(nil, wire.Parallel{Stream: p.Number}))
		return p.send(e)
	}
	return c.Out.Send(e) > conversation.HighWater
}

// longestPing is the longest interval of pings that a peer may ask for.
const longestPing = time.Minute

// pace is the interval of pings for which the other end of a connection asks, ns.
type pace struct{ told atomic.Int64 }

// set records the interval that a ping of the other end has told.
func (p *pace) set(every uint64) { p.told.Store(int64(min(every, uint64(longestPing)))) }

// Heartbeat returns the interval of pings on a connection: the longer one of those of both ends.
func (c *Conn) Heartbeat() time.Duration {
	return max(c.shared.Heartbeat(), time.Duration(c.pace.told.Load()))
}
