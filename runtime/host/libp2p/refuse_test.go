package libp2p

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	libp2ppeer "github.com/libp2p/go-libp2p/core/peer"
	"github.com/multiformats/go-multiaddr"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestDialRefuses: a peer does not dial itself, an address that is none, or one where nobody is; a bad address does not
// prevent the use of a good one.
func TestDialRefuses(t *testing.T) {
	server, client := open(t, 1, "/ip4/127.0.0.1/tcp/0"), open(t, 2)
	go echo(server)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := wire.Address(fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", l.Addr().(*net.TCPAddr).Port))
	l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var nobody wire.PeerID
	for _, c := range []struct {
		name string
		to   wire.PeerID
		at   []wire.Address
		want string
	}{
		{"itself", client.id, server.Addresses(), "which is this peer"},
		{"no address", peer.IDOf(key(3)), []wire.Address{"somewhere"}, "address somewhere: "},
		{"no address of nobody", nobody, []wire.Address{"somewhere"}, "address somewhere: "},
		{"nobody nowhere", nobody, nil, peer.ErrNoAddress.Error()},
		{"an empty place", nobody, []wire.Address{gone}, "no peer answers: "},
		{"a peer that is gone", peer.IDOf(key(3)), []wire.Address{gone}, "refused"},
	} {
		s, err := client.Dial(ctx, c.to, c.at, peer.EnvelopeStream)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	s, err := client.Dial(ctx, server.id, append([]wire.Address{"somewhere"}, server.Addresses()...), peer.EnvelopeStream)
	if err != nil {
		t.Fatalf("a bad address beside a good one: %v", err)
	}
	s.Close()
	if s, err := client.Dial(ctx, nobody, append([]wire.Address{"somewhere"}, server.Addresses()...), peer.EnvelopeStream); err != nil || s.Peer() != server.id {
		t.Errorf("the peer that an address names: %v", err)
	}
}

// TestDialCancelled: a dial ends with its context.
func TestDialCancelled(t *testing.T) {
	client := open(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, to := range []wire.PeerID{{}, peer.IDOf(key(3))} {
		if _, err := client.Dial(ctx, to, []wire.Address{"/ip4/127.0.0.1/tcp/1"}, peer.EnvelopeStream); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	}
}

// TestUnknownProtocol: a stream for a protocol that the other end does not serve is refused at once, and the connection remains.
func TestUnknownProtocol(t *testing.T) {
	server, client := open(t, 1, "/ip4/127.0.0.1/tcp/0"), open(t, 2)
	go echo(server)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := client.Dial(ctx, server.id, server.Addresses(), "/other/1"); err == nil {
		t.Error("an unknown protocol is served")
	}
	s, err := client.Dial(ctx, server.id, server.Addresses(), peer.BulkStream)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// TestClosed: after Close no stream is accepted, and those that nobody has accepted end.
func TestClosed(t *testing.T) {
	server, client := open(t, 1, "/ip4/127.0.0.1/tcp/0"), open(t, 2)
	s, err := client.Dial(t.Context(), server.id, server.Addresses(), peer.EnvelopeStream)
	if err != nil {
		t.Fatal(err)
	}
	accepting := make(chan error)
	go func() {
		_, err := client.Accept() // nobody calls the client
		accepting <- err
	}()
	for range 2 {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := server.Accept(); !errors.Is(err, peer.ErrClosed) {
		t.Errorf("Accept after Close: %v", err)
	}
	s.SetReadDeadline(time.Now().Add(time.Minute))
	_, err = s.Read(make([]byte, 1))
	if e, ok := err.(net.Error); err == nil || ok && e.Timeout() {
		t.Errorf("a stream that nobody has accepted: %v, want its end", err)
	}
	client.Close()
	if err := <-accepting; !errors.Is(err, peer.ErrClosed) {
		t.Errorf("an Accept that waits: %v", err)
	}
}

// TestPortInUse: a peer does not share the port of another process, which would get half of its connections.
func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for a, want := range map[wire.Address]string{
		wire.Address(fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", l.Addr().(*net.TCPAddr).Port)): "address already in use",
		"/ip4/127.0.0.1/tcp/70000": "70000",
		"nowhere":                  "nowhere",
	} {
		x, err := New(peer.TransportConfig{Key: key(1), Listen: []wire.Address{a}, HandshakeTimeout: time.Minute})
		if err == nil {
			x.Close()
		}
		if err == nil || x != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %q and no transport", a, x, err, want)
		}
	}
}

// TestNeighbour: an address that the local network tells is only a hint. With it a peer can be dialed by its id alone, and a
// false one leads to an error that names the peer that is there.
func TestNeighbour(t *testing.T) {
	server, client := open(t, 1, "/ip4/127.0.0.1/tcp/0"), open(t, 2)
	go echo(server)
	hint := func(id wire.PeerID) {
		there, err := idToLibp2p(id)
		if err != nil {
			t.Fatal(err)
		}
		var at []multiaddr.Multiaddr
		for _, a := range bare(server.Addresses()) {
			m, err := multiaddr.NewMultiaddr(string(a))
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, m)
		}
		neighbours{client}.HandlePeerFound(libp2ppeer.AddrInfo{ID: there, Addrs: at})
	}
	hint(server.id)
	s, err := client.Dial(t.Context(), server.id, nil, peer.EnvelopeStream)
	if err != nil {
		t.Fatalf("a neighbour: %v", err)
	}
	s.Close()
	liar := peer.IDOf(key(3))
	hint(liar)
	if _, err := client.Dial(t.Context(), liar, nil, peer.EnvelopeStream); !errors.Is(err, peer.ErrWrongKey) || !strings.Contains(err.Error(), server.id.String()) {
		t.Errorf("a false hint: %v, want the peer that is there", err)
	}
}

// TestOtherKeys: a peer of libp2p whose id has another form, as it has a key of another kind, is no peer of bbgen.
func TestOtherKeys(t *testing.T) {
	for _, text := range []string{"QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N", "16Uiu2HAmUAXSgdV7vtCLyBLdSRmkPc9DcDyoBCbDoRNcmRQwDXnq"} {
		id, err := libp2ppeer.Decode(text)
		if err != nil {
			continue // not every form is in every version
		}
		if got, err := idFromLibp2p(id); err == nil {
			t.Errorf("%s is %v", text, got)
		}
	}
	if _, err := idFromLibp2p(""); err == nil {
		t.Error("nothing is a peer")
	}
	if _, err := keyToLibp2p(key(1)[:5]); err == nil {
		t.Error("five bytes are a key")
	}
}
