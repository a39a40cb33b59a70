package libp2p

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	libp2ppeer "github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/multiformats/go-multiaddr"

	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestCloseWhilePeersDial closes a transport while several others open streams, and accepts meanwhile: with the race detector this
// finds what is used without a lock. Each stream that was accepted ends, and none is accepted once Close has returned.
func TestCloseWhilePeersDial(t *testing.T) {
	for range 5 {
		server := open(t, 1, "/ip4/127.0.0.1/tcp/0")
		at := server.Addresses()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var clients, acceptors sync.WaitGroup
		var first sync.Once
		accepted := make(chan bool) // closed with the first stream
		for n := range byte(3) {
			client := open(t, 10+n)
			clients.Go(func() {
				for {
					s, err := client.Dial(ctx, server.id, at, peer.EnvelopeStream)
					if err != nil {
						return
					}
					s.SetReadDeadline(time.Now().Add(time.Minute))
					if _, err := io.Copy(io.Discard, s); isTimeout(err) {
						t.Errorf("a stream has not ended: %v", err)
					}
					s.Close()
				}
			})
		}
		for range 2 {
			acceptors.Go(func() {
				for {
					s, err := server.Accept()
					if err != nil {
						if !errors.Is(err, peer.ErrClosed) {
							t.Errorf("Accept says %v", err)
						}
						return
					}
					first.Do(func() { close(accepted) })
					s.Close()
				}
			})
		}
		<-accepted
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if s, err := server.Accept(); !errors.Is(err, peer.ErrClosed) {
			t.Errorf("after Close: %v, %v", s, err)
		}
		acceptors.Wait()
		cancel()
		clients.Wait()
	}
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// resets is a stream that can only be ended.
type resets struct {
	network.Stream
	done bool
}

func (r *resets) Reset() error {
	r.done = true
	return nil
}

// TestAcceptAfterClose: a stream that waits to be accepted when the transport is closed is not passed to a later Accept: of both that
// are possible then, the end counts.
func TestAcceptAfterClose(t *testing.T) {
	for range 100 { // each time a select could take the stream
		x := &transport{accepted: make(chan *stream, 1), done: make(chan struct{})}
		end := &resets{}
		x.accepted <- &stream{Stream: end}
		close(x.done)
		if s, err := x.Accept(); s != nil || !errors.Is(err, peer.ErrClosed) {
			t.Fatalf("a closed transport accepts %v, %v", s, err)
		}
		if len(x.accepted) == 0 && !end.done {
			t.Fatal("the stream is neither left to its handler nor ended")
		}
	}
}

// TestHandlersAfterClose: a stream that libp2p passes on while the transport is being closed, or later, is ended, and Close waits for
// those that came before.
func TestHandlersAfterClose(t *testing.T) {
	x := &transport{accepted: make(chan *stream), done: make(chan struct{})}
	if !x.enter() {
		t.Fatal("an open transport takes no stream")
	}
	closed := make(chan error)
	go func() { closed <- x.Close() }()
	<-x.done
	select {
	case <-closed:
		t.Fatal("Close does not wait for a stream that is being passed on")
	default:
	}
	var late sync.WaitGroup
	for range 50 {
		late.Go(func() {
			if x.enter() {
				t.Error("a transport that is being closed takes a stream")
				x.handlers.Done()
			}
		})
	}
	late.Wait()
	x.handlers.Done()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if x.enter() {
		t.Error("a closed transport takes a stream")
	}
}

// TestCloseUnaccepted closes a transport with streams that nobody accepts: their other ends see the end, and Close returns.
func TestCloseUnaccepted(t *testing.T) {
	for name, at := range map[string]wire.Address{"tcp": "/ip4/127.0.0.1/tcp/0", "quic": "/ip4/127.0.0.1/udp/0/quic-v1"} {
		t.Run(name, func(t *testing.T) {
			server, client := open(t, 1, at), open(t, 2)
			var list []peer.Stream
			for range 10 {
				s, err := client.Dial(t.Context(), server.id, server.Addresses(), peer.EnvelopeStream)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, s)
			}
			var closers sync.WaitGroup
			for range 3 { // also several times at once
				closers.Go(func() {
					if err := server.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			closers.Wait()
			for i, s := range list {
				s.SetReadDeadline(time.Now().Add(time.Minute))
				if _, err := s.Read(make([]byte, 1)); err == nil || isTimeout(err) {
					t.Errorf("stream %d: %v, want its end", i, err)
				}
			}
			if name == "quic" { // nothing refuses its packets
				return
			}
			if _, err := client.Dial(t.Context(), server.id, nil, peer.EnvelopeStream); err == nil {
				t.Error("a closed transport is reached")
			}
		})
	}
}

// TestReconnect: when a peer comes back, at the same address or at another one, it is reached by its new addresses, although the old
// connection and the old addresses were known; and by the old ones no other peer is.
func TestReconnect(t *testing.T) {
	client := open(t, 2)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	reach := func(id wire.PeerID, at []wire.Address) {
		t.Helper()
		s, err := client.Dial(ctx, id, at, peer.EnvelopeStream)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.SetReadDeadline(time.Now().Add(time.Minute))
		got := make([]byte, 1)
		if _, err := s.Write([]byte{7}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(s, got); err != nil || got[0] != 7 {
			t.Fatalf("got %v, %v", got, err)
		}
	}
	ip := launch.Loopback() // where no other program takes a port that was free
	first := open(t, 1, wire.Address("/ip4/"+ip+"/tcp/0"))
	go echo(first)
	old := first.Addresses()
	reach(first.id, old)
	first.Close()
	gone(t, client, first.id)

	moved := open(t, 1, wire.Address("/ip4/"+ip+"/tcp/0"))
	go echo(moved)
	reach(first.id, append(moved.Addresses(), old...))
	moved.Close()
	gone(t, client, first.id)

	// Another peer takes its address: the key is what counts.
	other := open(t, 3, bare(old)...)
	go echo(other)
	if s, err := client.Dial(ctx, first.id, old, peer.EnvelopeStream); !errors.Is(err, peer.ErrWrongKey) {
		t.Fatalf("the peer with key 3 answers as that with key 1: %v, %v", s, err)
	}
	reach(other.id, other.Addresses())
	other.Close()
	gone(t, client, other.id)

	back := open(t, 1, bare(old)...)
	go echo(back)
	reach(first.id, old)
}

// TestDialAgain dials a peer that is not there, as often as a host does that tries again, and then it is there: the next dial reaches it.
func TestDialAgain(t *testing.T) {
	for name, port := range map[string]string{"tcp": "/tcp/0", "quic": "/udp/0/quic-v1"} {
		t.Run(name, func(t *testing.T) {
			client := open(t, 2)
			before := open(t, 1, wire.Address("/ip4/"+launch.Loopback()+port))
			at := before.Addresses()
			before.Close()
			for i := range 5 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				if name == "quic" { // nothing refuses its packets: it would wait until its own limit
					ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
				}
				if s, err := client.Dial(ctx, before.id, at, peer.EnvelopeStream); err == nil {
					s.Close()
					t.Errorf("attempt %d reaches a peer that is not there", i)
				}
				cancel()
			}
			back := open(t, 1, bare(at)...)
			go echo(back)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			s, err := client.Dial(ctx, back.id, at, peer.EnvelopeStream)
			if err != nil {
				t.Fatalf("the peer is there: %v", err)
			}
			s.Close()
		})
	}
}

// gone waits until a transport has noticed that a peer is gone.
func gone(t *testing.T, x *transport, id wire.PeerID) {
	t.Helper()
	there, err := idToLibp2p(id)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); len(x.host.Network().ConnsToPeer(there)) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the connection does not end")
		}
	}
}

// TestHostileStreams opens streams whose other end does not keep to the protocol of their negotiation, or opens them and does nothing:
// the transport still accepts what others open.
func TestHostileStreams(t *testing.T) {
	server, hostile, client := open(t, 1, "/ip4/127.0.0.1/tcp/0"), open(t, 3), open(t, 2)
	go echo(server)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := hostile.Dial(ctx, server.id, server.Addresses(), peer.EnvelopeStream) // a connection
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	there, err := idToLibp2p(server.id)
	if err != nil {
		t.Fatal(err)
	}
	for name, bytes := range map[string]string{
		"silence":            "",
		"noise":              "\x00\x01\x02\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"a very long line":   "\xff\xff\xff\xff\x0f",
		"half a negotiation": "\x13/multistream/1.0.0\n",
		"another version":    "\x13/multistream/9.0.0\n",
		"an empty line":      "\x13/multistream/1.0.0\n\x00",
		"a list":             "\x13/multistream/1.0.0\n\x03ls\n",
	} {
		raw, err := hostile.host.Network().NewStream(ctx, there)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := raw.Write([]byte(bytes)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 20 {
		raw, err := hostile.host.Network().NewStream(ctx, there)
		if err != nil {
			t.Fatal(err)
		}
		if err := raw.SetProtocol(protocol.ID(peer.EnvelopeStream)); err == nil {
			raw.Write([]byte("x"))
		}
		raw.Reset()
	}
	for _, x := range []*transport{client, hostile} {
		s, err := x.Dial(ctx, server.id, server.Addresses(), peer.BulkStream)
		if err != nil {
			t.Fatalf("after hostile streams: %v", err)
		}
		s.SetReadDeadline(time.Now().Add(time.Minute))
		got := make([]byte, 3)
		if _, err := s.Write([]byte("abc")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(s, got); err != nil || string(got) != "abc" {
			t.Errorf("got %q, %v", got, err)
		}
		s.Close()
	}
}

// TestProtection: a connection is protected from the limit of idle ones exactly as long as it has a stream, and closing a stream twice
// releases it once.
func TestProtection(t *testing.T) {
	server, client := open(t, 1, "/ip4/127.0.0.1/tcp/0"), open(t, 2)
	go echo(server)
	there, err := idToLibp2p(server.id)
	if err != nil {
		t.Fatal(err)
	}
	protected := func() bool { return client.host.ConnManager().IsProtected(there, "") }
	var list []peer.Stream
	for range 3 {
		s, err := client.Dial(t.Context(), server.id, server.Addresses(), peer.EnvelopeStream)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	for i, s := range list {
		if !protected() {
			t.Errorf("with %d streams the connection is not protected", len(list)-i)
		}
		s.Close()
		s.Close()
	}
	if protected() {
		t.Error("without a stream the connection is protected")
	}
	if _, err := list[0].Write([]byte{1}); err == nil {
		t.Error("a closed stream can be written")
	}
}

// TestLimitOfStrangers: as many connections may prove their key at a time as the host says, in each direction; without a number the
// library's own limits hold.
func TestLimitOfStrangers(t *testing.T) {
	for _, n := range []int{0, 1, 8} {
		r, err := resources(&peer.TransportConfig{Handshakes: n})
		if err != nil {
			t.Fatal(err)
		}
		opened := 0
		for range 2*n + 5 {
			c, err := r.OpenConnection(inbound, true, address(t, "/ip4/192.0.2.1/tcp/1"))
			if err != nil {
				break
			}
			defer c.Done()
			opened++
		}
		if n > 0 && opened != min(n, perAddress) || n == 0 && opened == 0 {
			t.Errorf("with a limit of %d, %d connections are open without a key", n, opened)
		}
		if n > 0 {
			c, err := r.OpenConnection(outbound, true, address(t, "/ip4/192.0.2.2/tcp/1"))
			if err != nil {
				t.Errorf("with %d connections of strangers there is none to a member: %v", opened, err)
			} else {
				if err := c.SetPeer(libp2ppeer.ID("x")); err != nil {
					t.Error(err)
				}
				c.Done()
			}
		}
		r.Close()
	}
}

const (
	inbound    = network.DirInbound
	outbound   = network.DirOutbound
	perAddress = 8 // the library's limit of connections from an address is not below this
)

func address(t *testing.T, text string) multiaddr.Multiaddr {
	t.Helper()
	m, err := multiaddr.NewMultiaddr(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
