package peer

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// maxParallel is the maximum number of parallel streams of an envelope stream.
const maxParallel = 8

// parallels are the parallel streams of an envelope stream. Large envelopes are distributed over them, so that
// several processors encrypt and decrypt, and several TCP windows fill a long link.
//
// For each such envelope the envelope stream carries the number of its parallel stream. So envelopes are
// delivered in the order in which they were sent, whatever the speeds of the streams.
type parallels struct {
	conversation uint64                                // to which the parallel streams belong; 0: there are none
	streams      [maxParallel]atomic.Pointer[parallel] // by number; written by the loop
	shut         atomic.Bool                           // streams that come now are closed
	large        atomic.Int64                          // bytes of large envelopes, sent and received

	// The following belong to the loop.
	usable []*parallel // the streams on which this end may send
	next   int         // in usable: where the search for the next stream begins
	begun  int         // how many streams this end has begun to open
}

// parallel is a parallel stream.
type parallel struct {
	c       *conn
	number  int // from 1
	s       Stream
	frames  *conversation.Frames
	out     *conversation.Queue
	batches [2]batch

	ready          chan *batch // envelopes in the order of the stream
	written, ended chan struct{}
	err            error // why it has ended; set before ended is closed
}

var errParallel = errors.New("a parallel stream has ended")

func newParallel(c *conn, number int, s Stream, f *conversation.Frames) *parallel {
	p := &parallel{c: c, number: number, s: s, frames: f, out: conversation.NewQueue(),
		ready: make(chan *batch, 2), written: make(chan struct{}), ended: make(chan struct{})}
	initBatches(c, &p.batches)
	return p
}

// run reads and writes until the stream ends. It calls wrote with how many bytes were written.
func (p *parallel) run(wrote func(int)) {
	go func() {
		defer close(p.written)
		if err := p.out.Write(p.s, p.c.shared.times.stall, wrote); err != nil {
			p.s.Close()
		}
	}()
	p.err = p.read()
	close(p.ended)
	p.out.Close()
}

// read reads envelopes, each into a batch of its own.
func (p *parallel) read() error {
	limit := p.c.shared.limits.Wire.Chunk + headRoom
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
		p.c.link.received.Add(int64(size))
		p.c.large.Add(int64(size))
		p.ready <- b
	}
}

// pass waits for the next envelope of the stream, and passes it to the loop. The reader of the envelope stream
// calls it.
func (p *parallel) pass() error {
	var b *batch
	select {
	case b = <-p.ready:
	case <-p.c.shared.ctx.Done():
		return p.c.shared.ctx.Err()
	case <-p.ended:
		select {
		case b = <-p.ready: // it came before the end
		default:
			return fmt.Errorf("%w: %w", errParallel, p.err)
		}
	}
	p.c.shared.mail.Post(b.note)
	return nil
}

// send queues an envelope, which the envelope stream has announced, and reports whether the stream accepts no more for now.
func (p *parallel) send(e *wire.Envelope) (full bool) {
	return p.out.Send(e) > conversation.HighWater/len(p.c.usable)
}

// elsewhere handles a message about a parallel stream. It returns the stream if the next envelope comes on it.
func (c *conn) elsewhere(m []byte) (*parallel, error) {
	x, err := wire.ConsumeParallel(m)
	if err != nil {
		return nil, err
	}
	var p *parallel
	if x.Stream <= maxParallel {
		p = c.streams[x.Stream-1].Load()
	}
	switch {
	case p == nil:
		return nil, fmt.Errorf("%w: parallel stream %d does not exist", runtime.ErrProtocol, x.Stream)
	case !x.Opens:
		return p, nil
	case c.dialed:
		return nil, fmt.Errorf("%w: parallel stream %d is opened by the other end", runtime.ErrProtocol, x.Stream)
	}
	c.shared.post(func() { c.use(p) })
	return nil, nil
}

// use lets this end send on a stream.
func (ps *parallels) use(p *parallel) {
	for _, x := range ps.usable {
		if x == p {
			return
		}
	}
	ps.usable = append(ps.usable, p)
}

// isLarge reports whether an envelope of size bytes is sent on a parallel stream if there is one.
func (c *conn) isLarge(size int) bool { return size >= parallelFrom && size <= c.chunk+headRoom/2 }

// choose returns the stream for an envelope of size bytes: the one with the fewest bytes to be written. It
// returns nil for envelopes of the envelope stream.
func (c *conn) choose(size int) *parallel {
	if !c.isLarge(size) {
		return nil
	}
	c.large.Add(int64(size))
	var best *parallel
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
