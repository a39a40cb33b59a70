package libp2p

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	libp2ppeer "github.com/libp2p/go-libp2p/core/peer"
	circuit "github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/pb"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

func key(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func open(t *testing.T, n byte, listen ...wire.Address) *transport {
	t.Helper()
	x, err := start(peer.TransportConfig{
		Key: key(n), Listen: listen, Log: slog.New(slog.DiscardHandler), Handshakes: 8, HandshakeTimeout: time.Minute,
		Admitted: func(id wire.PeerID) bool { return id == peer.IDOf(key(2)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// echo sends received bytes back on every stream.
func echo(x *transport) {
	for {
		s, err := x.Accept()
		if err != nil {
			return
		}
		go func() {
			io.Copy(s, s)
			s.Close()
		}()
	}
}

// A peer id has the same text in bbgen and libp2p.
func TestPeerID(t *testing.T) {
	id := peer.IDOf(key(1))
	there, err := idToLibp2p(id)
	if err != nil {
		t.Fatal(err)
	}
	if there.String() != id.String() {
		t.Errorf("libp2p writes %v, bbgen %v", there, id)
	}
	if back, err := idFromLibp2p(there); err != nil || back != id {
		t.Errorf("got %v, %v, want %v", back, err, id)
	}
}

func TestStreams(t *testing.T) {
	for name, at := range map[string]wire.Address{"tcp": "/ip4/127.0.0.1/tcp/0", "quic": "/ip4/127.0.0.1/udp/0/quic-v1"} {
		t.Run(name, func(t *testing.T) {
			server, client := open(t, 1, at), open(t, 2)
			go echo(server)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for _, p := range []peer.Protocol{peer.EnvelopeStream, peer.BulkStream} {
				s, err := client.Dial(ctx, server.id, server.Addresses(), p)
				if err != nil {
					t.Fatal(err)
				}
				if s.Peer() != server.id || s.Protocol() != p {
					t.Errorf("got a stream %v to %v, want %v to %v", s.Protocol(), s.Peer(), p, server.id)
				}
				want := bytes.Repeat([]byte("bbgen"), 100000)
				go s.Write(want)
				got := make([]byte, len(want))
				if _, err := io.ReadFull(s, got); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("%d bytes came back changed: %v", len(got), err)
				}
				read := make(chan error)
				go func() {
					_, err := s.Read(got)
					read <- err
				}()
				s.Close()
				if err := <-read; err == nil {
					t.Error("a read went on after Close")
				}
			}
		})
	}
}

func TestWrongKey(t *testing.T) {
	server, client := open(t, 1, "/ip4/127.0.0.1/tcp/0"), open(t, 2)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := client.Dial(ctx, peer.IDOf(key(3)), bare(server.Addresses()), peer.EnvelopeStream)
	if !errors.Is(err, peer.ErrWrongKey) {
		t.Errorf("got %v, want %v", err, peer.ErrWrongKey)
	}
	if _, err := client.Dial(ctx, peer.IDOf(key(4)), nil, peer.EnvelopeStream); !errors.Is(err, peer.ErrNoAddress) {
		t.Errorf("got %v, want %v", err, peer.ErrNoAddress)
	}
	go echo(server)
	s, err := client.Dial(ctx, wire.PeerID{}, bare(server.Addresses()), peer.EnvelopeStream)
	if err != nil || s.Peer() != server.id {
		t.Errorf("a dial without an expected identity: %v", err)
	}
}

// bare returns addresses without their peer ids.
func bare(list []wire.Address) []wire.Address {
	var out []wire.Address
	for _, a := range list {
		id, _ := a.Peer()
		out = append(out, a[:len(a)-len("/p2p/"+id.String())])
	}
	return out
}

// The death of a peer is noticed at once: its system closes the connection.
func TestDeath(t *testing.T) {
	server, client := open(t, 1, "/ip4/127.0.0.1/tcp/0"), open(t, 2)
	go echo(server)
	s, err := client.Dial(t.Context(), server.id, server.Addresses(), peer.EnvelopeStream)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	io.ReadFull(s, make([]byte, 1))
	go server.Close()
	s.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := s.Read(make([]byte, 1)); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the end of the stream", err)
	}
	if _, err := server.Accept(); !errors.Is(err, peer.ErrClosed) {
		t.Errorf("Accept says %v after Close, want %v", err, peer.ErrClosed)
	}
}

// A peer behind a NAT is reached through a relay.
func TestRelay(t *testing.T) {
	relayed := open(t, 1, "/ip4/0.0.0.0/tcp/0")
	at := relayed.Addresses()[0]
	hidden := open(t, 2, at+"/p2p-circuit")
	go echo(hidden)
	client := open(t, 3)
	var circuit []wire.Address
	for deadline := time.Now().Add(time.Minute); len(circuit) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no place at the relay")
		}
		circuit = hidden.Addresses()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := client.Dial(ctx, hidden.id, circuit, peer.EnvelopeStream)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte{7}); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 1)
	if _, err := io.ReadFull(s, got); err != nil || got[0] != 7 {
		t.Errorf("got %v, %v", got, err)
	}
}

// A relay accepts reservations only of admitted peers.
func TestRelayRefuses(t *testing.T) {
	relayed := open(t, 1, "/ip4/0.0.0.0/tcp/0")
	at, err := libp2ppeer.AddrInfoFromString(string(relayed.Addresses()[0]))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for n, want := range map[byte]bool{2: true, 3: false} {
		_, err := circuit.Reserve(ctx, open(t, n).host, *at)
		var refused circuit.ReservationError
		if (err == nil) != want || err != nil && (!errors.As(err, &refused) || refused.Status != pb.Status_PERMISSION_DENIED) {
			t.Errorf("peer %d: got %v, and a place is what it should have: %v", n, err, want)
		}
	}
}
