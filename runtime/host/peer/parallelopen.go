package peer

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// When and how many parallel streams are opened.
const (
	parallelFrom  = 64 << 10 // bytes of an envelope that is sent on a parallel stream
	parallelAfter = 4 << 20  // bytes of such envelopes after which the first stream is opened
	coreStreams   = 4        // at most, if only the number of processors decides

	// far is the round-trip time from which on one TCP connection with the usual buffers does not fill a fast
	// link: the number of streams is then independent of the processors.
	far = 20 * time.Millisecond

	// parallelPause is how long a peer gets no parallel streams after one has failed.
	parallelPause = time.Minute
)

// A parallelTransport reports whether several streams to a peer are separate connections: otherwise parallel
// streams have no effect.
type parallelTransport interface{ Parallel() bool }

// offers returns how many parallel streams this host accepts on an envelope stream.
func (h *host) offers() int {
	if t, ok := h.transport.(parallelTransport); !ok || !t.Parallel() || h.options.Edge || h.options.Connections == 1 {
		return 0
	}
	return min(maxParallel, h.budget.parallel-h.parallel)
}

// offer adds the offer of parallel streams to the Hello for a new envelope stream.
func (h *host) offer(c *conn, hello *wire.Hello) {
	if n := h.offers(); n > 0 {
		var b [8]byte
		rand.Read(b[:])
		c.conversation = binary.LittleEndian.Uint64(b[:]) | 1
		hello.Conversation, hello.Streams = c.conversation, n
	}
}

// wanted returns how many parallel streams a connection should have.
func (h *host) wanted(c *conn) int {
	n := h.options.Connections
	if n == 0 {
		if n = min(h.threads, coreStreams); c.rtt >= far {
			n = maxParallel
		}
	}
	if n = min(n, c.hello.Streams, h.offers()+c.begun); n < 2 {
		return 0
	}
	return n
}

// spread opens parallel streams of a connection that this end has dialed, once it carries large values.
func (h *host) spread(c *conn) {
	if !c.dialed || c.conversation == 0 || c.large.Load() < parallelAfter || h.now() < c.link.parallelTil || h.stopping {
		return
	}
	for n := h.wanted(c); c.begun < n; {
		h.openParallel(c)
	}
}

// openParallel opens the next parallel stream of a connection. If that fails, the connection has one less.
func (h *host) openParallel(c *conn) {
	c.begun++
	h.parallel++
	l, number, hello := c.link, c.begun, h.hello
	hello.Conversation, hello.Stream = c.conversation, number
	id, at := l.ID, h.places(l)
	go func() {
		s, f, theirs, err := h.dialStream(id, at, ParallelStream, hello)
		h.post(func() {
			if err == nil {
				err = h.addParallel(c, number, s, f, theirs)
			}
			if err != nil {
				h.parallel--
				h.log.Info("no parallel stream", "peer", id, "number", number, "err", err)
				return
			}
			c.tell(wire.AppendParallel(nil, wire.Parallel{Stream: number, Opens: true}))
			c.use(c.streams[number-1].Load())
		})
	}()
}

// acceptParallel adds a parallel stream that a peer has opened, if it belongs to the present connection.
func (h *host) acceptParallel(l *link, s Stream, f *conversation.Frames, theirs wire.Hello) error {
	c := l.conn
	switch {
	case c == nil || c.dialed || c.conversation == 0 || theirs.Conversation != c.conversation:
		return fmt.Errorf("%w: a parallel stream of no connection", runtime.ErrProtocol)
	case theirs.Stream < 1 || theirs.Stream > maxParallel || c.streams[theirs.Stream-1].Load() != nil:
		return fmt.Errorf("%w: parallel stream %d, want a new one of 1 to %d", runtime.ErrProtocol, theirs.Stream, maxParallel)
	case h.offers() < 1:
		return fmt.Errorf("%w: no more parallel streams are accepted", runtime.ErrProtocol)
	}
	if err := h.addParallel(c, theirs.Stream, s, f, theirs); err != nil {
		return err
	}
	h.parallel++
	return nil
}

// addParallel makes a stream a parallel stream of a connection.
func (h *host) addParallel(c *conn, number int, s Stream, f *conversation.Frames, theirs wire.Hello) error {
	if c.link.conn != c || theirs.Incarnation != c.hello.Incarnation {
		s.Close()
		return fmt.Errorf("%w: a parallel stream of an earlier connection", runtime.ErrProtocol)
	}
	p := newParallel(c, number, s, f)
	if !c.dialed {
		hello := appendHello(h.hello)
		p.out.Append(func(b []byte) []byte { return conversation.AppendFrame(b, hello) })
	}
	c.streams[number-1].Store(p)
	if c.shut.Load() {
		s.Close()
	}
	f.OnBytes(c.moves)
	go func() {
		p.run(c.wrote)
		first := !c.shut.Load() // else the connection has ended before
		c.close()
		h.post(func() { h.parallelEnded(p, first) })
	}()
	return nil
}

// parallelEnded handles the end of a parallel stream. If it has ended before its connection, the next
// connections to the peer have none for a while.
func (h *host) parallelEnded(p *parallel, first bool) {
	h.parallel--
	l := p.c.link
	if !first || l.conn != p.c {
		return
	}
	l.parallelTil = h.now() + int64(parallelPause)
	h.log.Info("parallel stream ended", "peer", l.ID, "number", p.number, "err", p.err)
}
