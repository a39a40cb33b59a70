package channel

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// newKey returns a key that follows from a number.
func newKey(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

// bring starts a transport on a network.
func bring(t *testing.T, n Network, listen ...wire.Address) peer.Transport {
	t.Helper()
	x, err := New(peer.TransportConfig{Key: newKey(9), Listen: listen, Log: slog.New(slog.DiscardHandler), Handshakes: 8, HandshakeTimeout: time.Minute}, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// TestDial: a stream has the peer and the protocol that were asked for, and both ends know each other's keys.
func TestDial(t *testing.T) {
	x, y := newTransport(t, 8, time.Minute), newTransport(t, 8, time.Minute)
	accepted := make(chan peer.Stream, 1)
	go func() {
		s, err := x.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- s
	}()
	s, err := y.Dial(t.Context(), peer.IDOf(x.config.Key), x.Addresses(), peer.BulkStream)
	if err != nil {
		t.Fatal(err)
	}
	far := <-accepted
	if s.Peer() != peer.IDOf(x.config.Key) || far.Peer() != peer.IDOf(y.config.Key) || s.Protocol() != peer.BulkStream || far.Protocol() != peer.BulkStream {
		t.Errorf("one end has %v of %v, the other %v of %v", s.Protocol(), s.Peer(), far.Protocol(), far.Peer())
	}
	if x.Parallel() {
		t.Error("a network that says nothing has independent connections")
	}
	s.Close()
	far.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := far.Read(make([]byte, 1)); err == nil {
		t.Error("the other end does not notice that it is closed")
	}
}

// TestDialWrongKey: a peer that answers with another key than the wanted one is not used, and the error names both. Without a
// wanted one, the peer that answers is taken.
func TestDialWrongKey(t *testing.T) {
	x, y := newTransport(t, 8, time.Minute), newTransport(t, 8, time.Minute)
	go func() {
		for {
			if _, err := x.Accept(); err != nil {
				return
			}
		}
	}()
	want := peer.IDOf(newKey(3))
	_, err := y.Dial(t.Context(), want, x.Addresses(), peer.EnvelopeStream)
	if !errors.Is(err, peer.ErrWrongKey) || !strings.Contains(err.Error(), want.String()) || !strings.Contains(err.Error(), peer.IDOf(x.config.Key).String()) {
		t.Errorf("got %v", err)
	}
	if s, err := y.Dial(t.Context(), wire.PeerID{}, x.Addresses(), peer.EnvelopeStream); err != nil || s.Peer() != peer.IDOf(x.config.Key) {
		t.Errorf("without a wanted key: %v", err)
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if len(y.open) != 1 {
		t.Errorf("%d connections are open, want that of the stream", len(y.open))
	}
}

// TestDialOther: what listens at an address may be no peer: it does not use TLS, says nothing, or hangs up. The error names
// the address, and the connection is closed.
func TestDialOther(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(net.Conn)
		want   string
	}{
		"plain text": {func(c net.Conn) { io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") }, "the listener there does not use TLS"},
		"nothing":    {func(c net.Conn) { c.Close() }, "EOF"},
		"silence":    {func(net.Conn) {}, context.DeadlineExceeded.Error()},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		closed := make(chan error, 1)
		go func() {
			conn, err := l.Accept()
			if err != nil {
				closed <- err
				return
			}
			defer conn.Close()
			io.ReadFull(conn, make([]byte, 5)) // the head of the first record: its end would come back with a reset
			c.answer(conn)
			_, err = io.Copy(io.Discard, conn)
			closed <- err
		}()
		ctx := t.Context()
		if name == "silence" {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
		}
		x := newTransport(t, 8, time.Minute)
		at := wire.Address("/" + l.Addr().String())
		_, err = x.Dial(ctx, peer.IDOf(newKey(3)), []wire.Address{at}, peer.EnvelopeStream)
		if err == nil || name != "nothing" && !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), string(at)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		<-closed
	}
}

// places is a network in which nobody is anywhere: a dial ends at once, or with its context.
type places struct {
	loopback
	dialed *[]time.Duration
}

func (p places) Dial(ctx context.Context, at wire.Address, _ wire.PeerID) (net.Conn, error) {
	if at == "/refused" {
		return nil, errors.New("refused")
	}
	began := time.Now()
	<-ctx.Done()
	*p.dialed = append(*p.dialed, time.Since(began))
	return nil, ctx.Err()
}

func (places) Parallel() bool { return true }

// TestDialShares: an address where nobody answers does not use up the time of the others, and the error has the reasons of
// all.
func TestDialShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dialed []time.Duration
		x := bring(t, places{dialed: &dialed})
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		_, err := x.Dial(ctx, wire.PeerID{}, []wire.Address{"/silent", "/refused", "/silent", "/silent"}, peer.EnvelopeStream)
		if err == nil || !strings.Contains(err.Error(), "refused") || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		// A quarter of 9 s, and halves of the rest.
		if len(dialed) != 3 || dialed[0] != 2250*time.Millisecond || dialed[1] != 3375*time.Millisecond || dialed[2] != 3375*time.Millisecond {
			t.Errorf("the silent ones have %v", dialed)
		}
		if _, err := x.Dial(ctx, wire.PeerID{}, nil, peer.EnvelopeStream); err != peer.ErrNoAddress {
			t.Errorf("without an address: %v", err)
		}
		if !x.(interface{ Parallel() bool }).Parallel() {
			t.Error("the connections of the network are not independent")
		}
	})
}

// TestClosedWhileDialed: a connection whose handshake ends after Close is no stream.
func TestClosedWhileDialed(t *testing.T) {
	x, y := newTransport(t, 8, time.Minute), newTransport(t, 8, time.Minute)
	y.Close()
	if _, err := y.Dial(t.Context(), peer.IDOf(x.config.Key), x.Addresses(), peer.EnvelopeStream); !errors.Is(err, peer.ErrClosed) {
		t.Errorf("got %v, want %v", err, peer.ErrClosed)
	}
	if err := y.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	if _, err := y.Accept(); err != peer.ErrClosed {
		t.Errorf("Accept after Close: %v", err)
	}
}

// TestUnacceptedStream: Close ends a stream that nobody has accepted, and does not wait for it.
func TestUnacceptedStream(t *testing.T) {
	x, y := newTransport(t, 8, time.Minute), newTransport(t, 8, time.Minute)
	s, err := y.Dial(t.Context(), peer.IDOf(x.config.Key), x.Addresses(), peer.EnvelopeStream)
	if err != nil {
		t.Fatal(err)
	}
	x.Close()
	s.SetReadDeadline(time.Now().Add(time.Minute))
	_, err = s.Read(make([]byte, 1))
	if e, ok := err.(net.Error); err == nil || ok && e.Timeout() {
		t.Errorf("the other end reads %v", err)
	}
}

// scarce is a network whose listener fails for a while, as a process without file descriptors does.
type scarce struct {
	loopback
	fails  *atomic.Int64
	closed *atomic.Int64
}

func (s scarce) Listen(a wire.Address) ([]Listener, error) {
	if a == "/nowhere" {
		return nil, errors.New("there is no such place")
	}
	list, err := s.loopback.Listen(a)
	return []Listener{scarceListener{list[0], s}}, err
}

type scarceListener struct {
	Listener
	s scarce
}

func (l scarceListener) Accept() (net.Conn, error) {
	if l.s.fails.Add(-1) >= 0 {
		return nil, errors.New("too many open files")
	}
	return l.Listener.Accept()
}

func (l scarceListener) Close() error {
	l.s.closed.Add(1)
	return l.Listener.Close()
}

// TestAcceptFails: a listener that cannot accept for a while is not given up.
func TestAcceptFails(t *testing.T) {
	s := scarce{fails: &atomic.Int64{}, closed: &atomic.Int64{}}
	s.fails.Store(2)
	x, y := bring(t, s, "/here"), newTransport(t, 8, time.Minute)
	go x.Accept()
	stream, err := y.Dial(t.Context(), peer.IDOf(newKey(9)), x.Addresses(), peer.EnvelopeStream)
	if err != nil {
		t.Fatal(err)
	}
	stream.Close()
	if s.fails.Load() >= 0 {
		t.Error("it has accepted without a failure")
	}
	s.fails.Store(1 << 40)
	x.Close() // does not wait for a listener that always fails
}

// TestListenFails: if one address cannot be listened at, the listeners at the others are closed, and the error names the
// address.
func TestListenFails(t *testing.T) {
	s := scarce{fails: &atomic.Int64{}, closed: &atomic.Int64{}}
	x, err := New(peer.TransportConfig{Key: newKey(9), Listen: []wire.Address{"/one", "/two", "/nowhere", "/three"}, Log: slog.New(slog.DiscardHandler)}, s)
	if err == nil || err.Error() != "listen at /nowhere: there is no such place" || x != nil {
		t.Errorf("got %v, %v", x, err)
	}
	if n := s.closed.Load(); n != 2 {
		t.Errorf("%d listeners are closed, want the two before it", n)
	}
}
