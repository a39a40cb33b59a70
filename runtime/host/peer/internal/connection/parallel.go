package connection

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

const (
	// MaxParallel is the maximum number of parallel streams of an envelope stream.
	MaxParallel = 8

	parallelFrom  = 64 << 10 // bytes of an envelope that is sent on a parallel stream
	parallelAfter = 4 << 20  // bytes of such envelopes after which the first stream is opened
)

// parallels are the parallel streams of an envelope stream. Large envelopes are distributed over them, so that
// several processors encrypt and decrypt, and several TCP windows fill a long link.
//
// For each such envelope the envelope stream carries the number of its parallel stream. So envelopes are
// delivered in the order in which they were sent, whatever the speeds of the streams.
type parallels struct {
	conversation uint64                                // to which the parallel streams belong; 0: there are none
	streams      [MaxParallel]atomic.Pointer[Parallel] // by number; written by the loop
	shut         atomic.Bool                           // streams that come now are closed
	large        atomic.Int64                          // bytes of large envelopes, sent and received

	// The following belong to the loop.
	usable []*Parallel // the streams on which this end may send
	next   int         // in usable: where the search for the next stream begins
}

// Parallel is a parallel stream.
type Parallel struct {
	Number  int   // from 1
	Err     error // why it has ended: for the function that is told of its end
	c       *Conn
	s       Stream
	frames  *conversation.Frames
	out     *conversation.Queue
	batches [2]Batch

	ready          chan *Batch // envelopes in the order of the stream
	written, ended chan struct{}
}

var errParallel = errors.New("a parallel stream has ended")

func newParallel(c *Conn, number int, s Stream, f *conversation.Frames) *Parallel {
	p := &Parallel{Number: number, c: c, s: s, frames: f, out: conversation.NewQueue(),
		ready: make(chan *Batch, 2), written: make(chan struct{}), ended: make(chan struct{})}
	initBatches(c, &p.batches)
	return p
}

// run reads and writes until the stream ends. It calls wrote with how many bytes were written.
func (p *Parallel) run(wrote func(int)) {
	go func() {
		defer close(p.written)
		if err := p.out.Write(p.s, p.c.shared.Times.Stall, wrote); err != nil {
			p.s.Close()
		}
	}()
	p.Err = p.read() // before the end is told
	close(p.ended)
	p.out.Close()
}

// read reads envelopes, each into a batch of its own.
func (p *Parallel) read() error {
	limit := p.c.shared.Limits.Wire.Chunk + headRoom
	for i := 0; ; i ^= 1 {
		b := &p.batches[i]
		if err := b.wait(); err != nil {
			return err
		}
		size, err := p.frames.Length(limit)
		if err != nil {
			return err
		}
		if b.buf, err = b.readInto(p.frames, size); err != nil {
			return err
		}
		if m := b.buf; wire.IsPing(m) || wire.IsIntroduction(m) || wire.IsParallel(m) {
			return fmt.Errorf("%w: a parallel stream carries only envelopes", runtime.ErrProtocol)
		}
		b.ends = append(b.ends, size)
		p.c.account.Received.Add(int64(size))
		p.c.large.Add(int64(size))
		p.ready <- b
	}
}

// pass waits for the next envelope of the stream, and passes it to the loop. The reader of the envelope stream
// calls it.
func (p *Parallel) pass() error {
	var b *Batch
	select {
	case b = <-p.ready:
	case <-p.c.shared.Ctx.Done():
		return p.c.shared.Ctx.Err()
	case <-p.ended:
		select {
		case b = <-p.ready: // it came before the end
		default:
			return fmt.Errorf("%w: %w", errParallel, p.Err)
		}
	}
	p.c.shared.Mail.Post(b.note)
	return nil
}

// send queues an envelope, which the envelope stream has announced, and reports whether the stream accepts no more for now.
func (p *Parallel) send(e *wire.Envelope) (full bool) {
	return p.out.Send(e) > conversation.HighWater/len(p.c.usable)
}

// elsewhere handles a message about a parallel stream. It returns the stream if the next envelope comes on it.
func (c *Conn) elsewhere(m []byte) (*Parallel, error) {
	x, err := wire.ConsumeParallel(m)
	if err != nil {
		return nil, err
	}
	var p *Parallel
	if x.Stream <= MaxParallel {
		p = c.streams[x.Stream-1].Load()
	}
	switch {
	case p == nil:
		return nil, fmt.Errorf("%w: parallel stream %d does not exist", runtime.ErrProtocol, x.Stream)
	case !x.Opens:
		return p, nil
	case c.Dialed:
		return nil, fmt.Errorf("%w: parallel stream %d is opened by the other end", runtime.ErrProtocol, x.Stream)
	}
	c.shared.Post(func() { c.use(p) })
	return nil, nil
}

// Offer offers the other end n parallel streams, in the Hello for the envelope stream.
func (c *Conn) Offer(n int, hello *wire.Hello) {
	var b [8]byte
	rand.Read(b[:])
	c.conversation = binary.LittleEndian.Uint64(b[:]) | 1
	hello.Conversation, hello.Streams = c.conversation, n
}

// Spreads reports whether this end may open parallel streams, and there is a reason: it has dialed, the other end has
// offered some, and the connection carries large values.
func (c *Conn) Spreads() bool {
	return c.Dialed && c.conversation != 0 && c.large.Load() >= parallelAfter
}

// Ask puts into a Hello that it opens a parallel stream.
func (c *Conn) Ask(number int, hello *wire.Hello) {
	hello.Conversation, hello.Stream = c.conversation, number
}

// Admits returns an error if a Hello of the other end cannot open a parallel stream of this connection.
func (c *Conn) Admits(theirs *wire.Hello) error {
	switch {
	case c.Dialed || c.conversation == 0 || theirs.Conversation != c.conversation:
		return fmt.Errorf("%w: a parallel stream of no connection", runtime.ErrProtocol)
	case theirs.Stream < 1 || theirs.Stream > MaxParallel || c.streams[theirs.Stream-1].Load() != nil:
		return fmt.Errorf("%w: parallel stream %d, want a new one of 1 to %d", runtime.ErrProtocol, theirs.Stream, MaxParallel)
	}
	return nil
}

// Add makes a stream the parallel stream with a number, and begins to read and write. If the other end has opened it,
// it begins with a Hello. When it ends, so do all streams of envelopes, and the loop calls ended; first says that the
// connection has not ended before.
func (c *Conn) Add(number int, s Stream, f *conversation.Frames, hello *wire.Hello, ended func(p *Parallel, first bool)) {
	p := newParallel(c, number, s, f)
	if !c.Dialed {
		m := AppendHello(*hello)
		p.out.Append(func(b []byte) []byte { return conversation.AppendFrame(b, m) })
	}
	c.streams[number-1].Store(p)
	if c.shut.Load() {
		s.Close()
	}
	f.OnBytes(c.moves)
	go func() {
		p.run(c.wrote)
		first := !c.shut.Load() // else the connection has ended before
		c.Close()
		c.shared.Post(func() { ended(p, first) })
	}()
}

// Open lets both ends send on a parallel stream that this end has added.
func (c *Conn) Open(number int) {
	c.Tell(wire.AppendParallel(nil, wire.Parallel{Stream: number, Opens: true}))
	c.use(c.streams[number-1].Load())
}

// use lets this end send on a stream.
func (ps *parallels) use(p *Parallel) {
	for _, x := range ps.usable {
		if x == p {
			return
		}
	}
	ps.usable = append(ps.usable, p)
}

// isLarge reports whether an envelope of size bytes is sent on a parallel stream if there is one.
func (c *Conn) isLarge(size int) bool { return size >= parallelFrom && size <= c.chunk+headRoom/2 }

// choose returns the stream for an envelope of size bytes: the one with the fewest bytes to be written. It
// returns nil for envelopes of the envelope stream.
func (c *Conn) choose(size int) *Parallel {
	if !c.isLarge(size) {
		return nil
	}
	c.large.Add(int64(size))
	var best *Parallel
	least := 0
	for i := range c.usable {
		p := c.usable[(c.next+i)%len(c.usable)]
		if n := p.out.Unwritten(); best == nil || n < least {
			best, least = p, n
		}
	}
	c.next++
	return best
}

// close ends all streams.
func (ps *parallels) close() {
	ps.shut.Store(true)
	for i := range ps.streams {
		if p := ps.streams[i].Load(); p != nil {
			p.s.Close()
		}
	}
}

// drain waits until all queued data are written.
func (ps *parallels) drain() {
	for i := range ps.streams {
		if p := ps.streams[i].Load(); p != nil {
			p.out.Close()
			<-p.written
		}
	}
}
