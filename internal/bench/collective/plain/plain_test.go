package plain

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// started returns a transport of a peer with a number. It listens if the address is not empty.
func started(t *testing.T, number byte, at wire.Address) (peer.Transport, wire.PeerID) {
	t.Helper()
	seed := make([]byte, ed25519.SeedSize)
	seed[0] = number
	c := peer.TransportConfig{Key: ed25519.NewKeyFromSeed(seed)}
	if at != "" {
		c.Listen = []wire.Address{at}
	}
	tr, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr, peer.IDOf(c.Key)
}

const anyPort = "/ip4/127.0.0.1/tcp/0"

// Both ends of a stream know each other and the protocol, and carry bytes in both directions.
func TestStream(t *testing.T) {
	server, serverID := started(t, 1, anyPort)
	client, clientID := started(t, 2, "")
	if len(client.Addresses()) != 0 {
		t.Errorf("a transport that only dials has the addresses %v", client.Addresses())
	}
	for _, to := range []wire.PeerID{serverID, {}} { // a zero id accepts any peer
		a, err := client.Dial(t.Context(), to, server.Addresses(), peer.BulkStream)
		if err != nil {
			t.Fatal(err)
		}
		b, err := server.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if a.Peer() != serverID || b.Peer() != clientID || a.Protocol() != peer.BulkStream || b.Protocol() != peer.BulkStream {
			t.Errorf("%v %v and %v %v", a.Peer(), a.Protocol(), b.Peer(), b.Protocol())
		}
		carries(t, a, b, "there")
		carries(t, b, a, "back")
		a.Close()
		if _, err := b.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the other end of a closed stream reads %v", err)
		}
	}
}

func carries(t *testing.T, from io.Writer, to io.Reader, text string) {
	t.Helper()
	if _, err := io.WriteString(from, text); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, len(text))
	if _, err := io.ReadFull(to, b); err != nil || string(b) != text {
		t.Errorf("%q %v, want %q", b, err, text)
	}
}

func TestDialErrors(t *testing.T) {
	server, _ := started(t, 1, anyPort)
	client, clientID := started(t, 2, "")
	dial := func(at ...wire.Address) error {
		_, err := client.Dial(t.Context(), clientID, at, peer.EnvelopeStream)
		return err
	}
	if err := dial(server.Addresses()...); !errors.Is(err, peer.ErrWrongKey) {
		t.Errorf("another peer: %v", err)
	}
	if err := dial(); !errors.Is(err, peer.ErrNoAddress) {
		t.Errorf("no address: %v", err)
	}
	for _, at := range []wire.Address{"", "/ip4/127.0.0.1", "/ip6/::1/tcp/1", "/ip4/127.0.0.1/udp/1"} {
		if dial(at) == nil {
			t.Errorf("%q is no error", at)
		}
		if at != "" {
			if _, err := New(peer.TransportConfig{Key: make(ed25519.PrivateKey, ed25519.PrivateKeySize), Listen: []wire.Address{at}}); err == nil {
				t.Errorf("a transport listens at %q", at)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.Dial(ctx, clientID, server.Addresses(), peer.BulkStream); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// A connection that does not begin with a peer's hello is closed, and not accepted.
func TestStrangers(t *testing.T) {
	server, serverID := started(t, 1, anyPort)
	at, err := hostPort(server.Addresses()[0])
	if err != nil {
		t.Fatal(err)
	}
	var other strings.Builder // a peer's id with another protocol
	if err := writeHello(&other, serverID, "other"); err != nil {
		t.Fatal(err)
	}
	for _, hello := range []string{other.String(), "GET / HTTP/1.0\r\n\r\n" + string(make([]byte, 200)), "\x00\x00", "\x01" + string(byte(len(peer.BulkStream))) + "x" + string(peer.BulkStream)} {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, hello); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%.10q: the server answers", hello)
		}
		c.Close()
	}
	client, clientID := started(t, 2, "")
	if _, err := client.Dial(t.Context(), serverID, server.Addresses(), peer.BulkStream); err != nil {
		t.Fatal(err)
	}
	if s, err := server.Accept(); err != nil || s.Peer() != clientID {
		t.Errorf("the first accepted stream is not the peer's: %v", err)
	}
}

// Close ends the streams, and what waits for others.
func TestClose(t *testing.T) {
	server, serverID := started(t, 1, anyPort)
	client, _ := started(t, 2, "")
	s, err := client.Dial(t.Context(), serverID, server.Addresses(), peer.BulkStream)
	if err != nil {
		t.Fatal(err)
	}
	addresses := server.Addresses()
	if err := errors.Join(client.Close(), client.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.Write([]byte("x")); err == nil {
		t.Error("a stream of a closed transport is open")
	}
	if _, err := client.Dial(t.Context(), serverID, addresses, peer.BulkStream); !errors.Is(err, peer.ErrClosed) {
		t.Errorf("a closed transport dials: %v", err)
	}
	if _, err := client.Accept(); !errors.Is(err, peer.ErrClosed) {
		t.Errorf("a closed transport accepts: %v", err)
	}
}
