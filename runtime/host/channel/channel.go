package channel

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// transport is a [peer.Transport] over a network.
type transport struct {
	config  peer.TransportConfig
	network Network
	tls     *tls.Config

	listeners []Listener
	accepted  chan *stream
	room      chan struct{} // holds a token if a connection may have left a place
	done      chan struct{}
	loops     sync.WaitGroup // of goroutines that send on accepted

	mu     sync.Mutex
	open   map[net.Conn]bool // for Close; all values are true
	early  []early           // oldest first
	closed bool
}

// New starts a transport over a network.
func New(c peer.TransportConfig, n Network) (peer.Transport, error) {
	cert, err := certificate(c.Key)
	if err != nil {
		return nil, err
	}
	t := &transport{config: c, network: n, tls: config(cert, c.Serves()), open: map[net.Conn]bool{},
		accepted: make(chan *stream), room: make(chan struct{}, 1), done: make(chan struct{})}
	for _, a := range c.Listen {
		list, err := n.Listen(a)
		if err != nil {
			t.Close()
			return nil, fmt.Errorf("listen at %s: %w", a, err)
		}
		t.listeners = append(t.listeners, list...)
	}
	for _, l := range t.listeners {
		t.loops.Go(func() { t.listen(l) })
	}
	return t, nil
}

func (t *transport) Addresses() []wire.Address {
	var list []wire.Address
	for _, l := range t.listeners {
		list = append(list, l.Addresses()...)
	}
	return list
}

// Parallel reports whether the network's connections to a peer are independent of each other.
func (t *transport) Parallel() bool {
	n, ok := t.network.(interface{ Parallel() bool })
	return ok && n.Parallel()
}

// Dial tries the addresses one after the other, each with its share of the time, so that an unreachable address
// does not use up the time of the others.
func (t *transport) Dial(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error) {
	errs := []error{}
	for i, a := range at {
		part, done := share(ctx, len(at)-i)
		s, err := t.dial(part, to, a, p)
		done()
		if err == nil {
			return s, nil
		}
		errs = append(errs, err)
	}
	if len(errs) == 0 {
		return nil, peer.ErrNoAddress
	}
	return nil, errors.Join(errs...)
}

// share returns a context with a part of the remaining time.
func share(ctx context.Context, parts int) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(end)/time.Duration(parts))
}

func (t *transport) dial(ctx context.Context, to wire.PeerID, a wire.Address, p peer.Protocol) (*stream, error) {
	raw, err := t.network.Dial(ctx, a, to)
	if err != nil {
		return nil, err
	}
	c := t.tls.Clone()
	c.NextProtos = []string{string(p)}
	j := &joined{Conn: raw}
	s, err := t.handshake(ctx, j, tls.Client(j, c))
	switch {
	case errors.As(err, new(tls.RecordHeaderError)):
		raw.Close()
		return nil, fmt.Errorf("%s: the listener there does not use TLS: it is a peer with -host libp2p, or no peer: %w", a, err)
	case err != nil:
		raw.Close()
		return nil, fmt.Errorf("%s: %w", a, err)
	case !to.IsZero() && s.id != to:
		s.Close()
		return nil, fmt.Errorf("%s: %w: it is %v, want %v", a, peer.ErrWrongKey, s.id, to)
	}
	if !t.proven(raw) {
		s.Close()
		return nil, peer.ErrClosed
	}
	return s, nil
}

func (t *transport) handshake(ctx context.Context, j *joined, c *tls.Conn) (*stream, error) {
	if err := c.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	state := c.ConnectionState()
	id, err := peerOf(&state)
	if err != nil {
		return nil, err
	}
	return &stream{Conn: c, t: t, joined: j, raw: j.Conn, id: id, protocol: peer.Protocol(state.NegotiatedProtocol)}, nil
}

// listen accepts connections until the listener is closed. If the process has no file descriptors left it waits
// until others are closed.
func (t *transport) listen(l net.Listener) {
	for {
		raw, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			t.config.Log.Warn("accept", "err", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-t.done:
				return
			}
			continue
		}
		if t.unproven(raw) {
			t.loops.Go(func() { t.serve(raw) })
		}
	}
}

// serve performs the handshake of an accepted connection.
func (t *transport) serve(raw net.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), t.config.HandshakeTimeout)
	defer cancel()
	j := &joined{Conn: raw}
	s, err := t.handshake(ctx, j, tls.Server(j, t.tls))
	if err != nil {
		t.config.Log.Info("connection dropped in its handshake", "from", raw.RemoteAddr(), "err", err)
		t.forget(raw)
		return
	}
	if !t.proven(raw) {
		return
	}
	select {
	case t.accepted <- s:
	case <-t.done:
		s.Close()
	}
}

func (t *transport) Accept() (peer.Stream, error) {
	select {
	case s := <-t.accepted:
		return s, nil
	case <-t.done:
		return nil, peer.ErrClosed
	}
}

func (t *transport) Close() error {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil
	}
	t.closed = true
	open := slices.Collect(maps.Keys(t.open)) // no connection is added any more
	t.mu.Unlock()
	close(t.done)
	var errs []error
	for _, l := range t.listeners {
		errs = append(errs, l.Close())
	}
	for _, c := range open {
		c.Close()
	}
	t.loops.Wait()
	errs = append(errs, t.network.Close())
	return errors.Join(errs...)
}

// stream is a connection to a known peer.
type stream struct {
	*tls.Conn
	t        *transport
	joined   *joined
	raw      net.Conn
	id       wire.PeerID
	protocol peer.Protocol
}

func (s *stream) Peer() wire.PeerID       { return s.id }
func (s *stream) Protocol() peer.Protocol { return s.protocol }

// Close ends the connection at once; pending reads and writes get an error.
func (s *stream) Close() error {
	s.t.forget(s.raw)
	return nil
}
