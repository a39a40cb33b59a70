package libp2p

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	libp2ppeer "github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	"github.com/multiformats/go-multiaddr"
	"github.com/multiformats/go-multistream"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// transport is a [peer.Transport].
type transport struct {
	config   peer.TransportConfig
	id       wire.PeerID
	host     host.Host
	swarm    *swarm.Swarm // of the host
	services []io.Closer  // closed from the last to the first
	places   []*place     // at relays
	accepted chan *stream
	done     chan struct{}
	closing  sync.Once

	mu       sync.Mutex
	ends     bool           // Close has been called: no handler begins; guarded by mu
	handlers sync.WaitGroup // of goroutines that send on accepted
}

// New starts a transport over libp2p.
func New(c peer.TransportConfig) (peer.Transport, error) {
	t, err := start(c)
	if err != nil {
		return nil, err // a nil *transport would not be a nil Transport
	}
	return t, nil
}

func start(c peer.TransportConfig, udp ...udpOption) (*transport, error) {
	t := &transport{config: c, id: peer.IDOf(c.Key), accepted: make(chan *stream), done: make(chan struct{})}
	if err := t.build(udp); err != nil {
		t.Close()
		return nil, err
	}
	for _, p := range c.Serves() {
		t.host.SetStreamHandler(protocol.ID(p), t.take)
	}
	return t, nil
}

// take passes a stream that a peer has opened to Accept.
func (t *transport) take(s network.Stream) {
	if !t.enter() {
		s.Reset()
		return
	}
	defer t.handlers.Done()
	id, err := idFromLibp2p(s.Conn().RemotePeer())
	if err != nil {
		t.config.Log.Info("stream refused", "from", s.Conn().RemoteMultiaddr(), "err", err)
		s.Reset()
		return
	}
	select {
	case t.accepted <- t.stream(s, id):
	case <-t.done:
		s.Reset()
	}
}

// enter counts a handler, unless the transport is being closed: Close does not wait for one that begins later.
func (t *transport) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ends {
		t.handlers.Add(1)
	}
	return !t.ends
}

// leave makes later handlers end at once, and those that wait for Accept, too.
func (t *transport) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ends = true
	close(t.done)
}

// Dial opens a stream, on the existing connection to the peer if there is one. If only a relay leads to the
// peer, it waits for a hole to be punched; if that fails, it uses the relay.
func (t *transport) Dial(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error) {
	to, err := t.whom(ctx, to, at)
	if err != nil {
		return nil, err
	}
	if to == t.id {
		return nil, fmt.Errorf("%w: want %v, which is this peer", peer.ErrWrongKey, to)
	}
	id, err := idToLibp2p(to)
	if err != nil {
		return nil, err
	}
	known, err := t.learn(id, at)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, peer.ErrNoAddress
	}
	t.swarm.Backoff().Clear(id) // when to dial again is for the caller to decide: libp2p would refuse that for up to five minutes
	s, err := t.open(ctx, id, protocol.ID(p))
	if err != nil {
		return nil, dialError(to, err)
	}
	return t.stream(s, to), nil
}

// punchTimeout is how long to wait for a hole to be punched.
const punchTimeout = 5 * time.Second

func (t *transport) open(ctx context.Context, id libp2ppeer.ID, p protocol.ID) (network.Stream, error) {
	relayed := network.WithAllowLimitedConn(ctx, "no hole could be punched")
	if err := t.host.Connect(relayed, libp2ppeer.AddrInfo{ID: id}); err != nil {
		return nil, err
	}
	if t.host.Network().Connectedness(id) != network.Limited {
		return t.newStream(ctx, id, p)
	}
	direct, cancel := context.WithTimeout(ctx, punchTimeout)
	defer cancel()
	if s, err := t.newStream(direct, id, p); err == nil {
		return s, nil
	}
	return t.newStream(relayed, id, p)
}

// newStream opens a stream and negotiates its protocol with the other end. The host's own method would delay
// that until the first bytes are written, and the other end would not know of the stream before.
func (t *transport) newStream(ctx context.Context, id libp2ppeer.ID, p protocol.ID) (network.Stream, error) {
	s, err := t.host.Network().NewStream(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := t.agree(ctx, s, p); err != nil {
		s.Reset()
		return nil, err
	}
	return s, nil
}

func (t *transport) agree(ctx context.Context, s network.Stream, p protocol.ID) error {
	if err := s.SetProtocol(p); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { s.Reset() })
	defer stop()
	s.SetDeadline(time.Now().Add(t.config.HandshakeTimeout))
	if err := multistream.SelectProtoOrFail(p, s); err != nil {
		return err
	}
	return s.SetDeadline(time.Time{})
}

// learn records addresses and reports whether any is known. An invalid one does not prevent the use of the
// others.
func (t *transport) learn(id libp2ppeer.ID, at []wire.Address) (bool, error) {
	var bad []error
	for _, a := range at {
		m, err := multiaddr.NewMultiaddr(string(a))
		if err != nil {
			bad = append(bad, fmt.Errorf("address %s: %w", a, err))
			continue
		}
		if rest, last := multiaddr.SplitLast(m); last != nil && last.Protocol().Code == multiaddr.P_P2P {
			m = rest
		}
		t.host.Peerstore().AddAddr(id, m, peerstore.TempAddrTTL)
	}
	if len(t.host.Peerstore().Addrs(id)) > 0 {
		return true, nil
	}
	return false, errors.Join(bad...)
}

// dialError names the peer that answered, if it was another one.
func dialError(to wire.PeerID, err error) error {
	if id, ok := answered(err); ok {
		return fmt.Errorf("%w: it is %v, want %v", peer.ErrWrongKey, id, to)
	}
	return err
}

func (t *transport) Accept() (peer.Stream, error) {
	select {
	case s := <-t.accepted:
		if t.isClosed() { // both were possible
			s.Reset()
			return nil, peer.ErrClosed
		}
		return s, nil
	case <-t.done:
		return nil, peer.ErrClosed
	}
}

func (t *transport) isClosed() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// Addresses returns the addresses at which libp2p listens, including relays, each with the peer id.
func (t *transport) Addresses() []wire.Address {
	var list []wire.Address
	for _, a := range t.host.Addrs() {
		list = append(list, wire.Address(fmt.Sprintf("%s/p2p/%v", a, t.id)))
	}
	for _, p := range t.places {
		list = append(list, p.addresses()...)
	}
	return list
}

// Close ends all streams and releases the ports.
func (t *transport) Close() error {
	var errs []error
	t.closing.Do(func() {
		t.leave()
		for i := len(t.services) - 1; i >= 0; i-- {
			errs = append(errs, t.services[i].Close())
		}
		t.handlers.Wait()
	})
	return errors.Join(errs...)
}

// stream is a stream to a known peer. While it is open its connection is protected from being closed in favor
// of others.
type stream struct {
	network.Stream
	t    *transport
	id   wire.PeerID
	tag  string
	once sync.Once
}

func (t *transport) stream(s network.Stream, id wire.PeerID) *stream {
	x := &stream{Stream: s, t: t, id: id, tag: s.ID()}
	t.host.ConnManager().Protect(s.Conn().RemotePeer(), x.tag)
	return x
}

func (s *stream) Peer() wire.PeerID       { return s.id }
func (s *stream) Protocol() peer.Protocol { return peer.Protocol(s.Stream.Protocol()) }

// Write writes b, frame by frame: see [mux].
func (s *stream) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		if n > 0 {
			runtime.Gosched()
		}
		var k int
		k, err = s.Stream.Write(b[n:min(n+frameData, len(b))])
		n += k
	}
	return n, err
}

// Close ends the stream in both directions at once. The other end is told concurrently, as the connection may
// be blocked.
func (s *stream) Close() error {
	s.once.Do(func() {
		s.t.host.ConnManager().Unprotect(s.Conn().RemotePeer(), s.tag)
		s.Stream.SetDeadline(time.Unix(1, 0)) // pending reads and writes get an error
		go s.end()
	})
	return nil
}

// end lets the other end read what was written, and stops its writer. QUIC does both when a stream is closed.
// On a closed yamux stream a writer would wait for a reader until its deadline, so the stream is reset after
// its last byte.
func (s *stream) end() {
	if s.Stream.Conn().ConnState().StreamMultiplexer == "" {
		s.Stream.Close()
		return
	}
	s.Stream.CloseWrite()
	s.Stream.Reset()
}
