package peer

import (
	"fmt"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// How many parallel streams are opened.
const (
	coreStreams = 4 // at most, if only the number of processors decides

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
	return min(connection.MaxParallel, h.budget.parallel-h.parallel)
}

// offer adds the offer of parallel streams to the Hello for a new envelope stream.
func (h *host) offer(c *connection.Conn, hello *wire.Hello) {
	if n := h.offers(); n > 0 {
		c.Offer(n, hello)
	}
}

// wanted returns how many parallel streams the connection to a peer should have.
func (h *host) wanted(l *link) int {
	n := h.options.Connections
	if n == 0 {
		if n = min(h.threads, coreStreams); l.shortest >= far {
			n = connection.MaxParallel
		}
	}
	if n = min(n, l.conn.Hello.Streams, h.offers()+l.begun); n < 2 {
		return 0
	}
	return n
}

// spread opens parallel streams of the connection to a peer, if this end has dialed it, once it carries large values.
func (h *host) spread(l *link) {
	if !l.conn.Spreads() || h.Now() < l.parallelTil || h.stopping {
		return
	}
	for n := h.wanted(l); l.begun < n; {
		h.openParallel(l)
	}
}

// openParallel opens the next parallel stream of a connection. If that fails, the connection has one less.
func (h *host) openParallel(l *link) {
	l.begun++
	h.parallel++
	c, number, hello := l.conn, l.begun, h.hello
	c.Ask(number, &hello)
	id, at := l.ID, h.places(l)
	go func() {
		s, f, theirs, err := h.dialStream(id, at, ParallelStream, hello)
		h.Post(func() {
			if err == nil {
				err = h.addParallel(l, c, number, s, f, theirs)
			}
			if err != nil {
				h.parallel--
				h.log.Info("no parallel stream", "peer", id, "number", number, "err", err)
				return
			}
			c.Open(number)
		})
	}()
}

// acceptParallel adds a parallel stream that a peer has opened, if it belongs to the present connection.
func (h *host) acceptParallel(l *link, s Stream, f *conversation.Frames, theirs wire.Hello) error {
	if l.conn == nil {
		return fmt.Errorf("%w: a parallel stream of no connection", runtime.ErrProtocol)
	}
	if err := l.conn.Admits(&theirs); err != nil {
		return err
	}
	if h.offers() < 1 {
		return fmt.Errorf("%w: no more parallel streams are accepted", runtime.ErrProtocol)
	}
	if err := h.addParallel(l, l.conn, theirs.Stream, s, f, theirs); err != nil {
		return err
	}
	h.parallel++
	return nil
}

// addParallel makes a stream a parallel stream of a connection.
func (h *host) addParallel(l *link, c *connection.Conn, number int, s Stream, f *conversation.Frames, theirs wire.Hello) error {
	if l.conn != c || theirs.Incarnation != c.Hello.Incarnation {
		s.Close()
		return fmt.Errorf("%w: a parallel stream of an earlier connection", runtime.ErrProtocol)
	}
	c.Add(number, s, f, &h.hello, func(p *connection.Parallel, first bool) { h.parallelEnded(l, p, first && l.conn == c) })
	return nil
}

// parallelEnded handles the end of a parallel stream. If it has ended before its connection, the next
// connections to the peer have none for a while.
func (h *host) parallelEnded(l *link, p *connection.Parallel, first bool) {
	h.parallel--
	if !first {
		return
	}
	l.parallelTil = h.Now() + int64(parallelPause)
	h.log.Info("parallel stream ended", "peer", l.ID, "number", p.Number, "err", p.Err)
}
