package nats

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestPlace reads addresses, with and without a name and a peer id.
func TestPlace(t *testing.T) {
	const id = "12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X"
	for a, want := range map[wire.Address]place{
		"/dns/broker.example.com/tcp/4222":             {"broker.example.com:4222", "/dns/broker.example.com/tcp/4222", ""},
		"/ip4/10.0.0.1/tcp/4222/nats/server_1-a":       {"10.0.0.1:4222", "/ip4/10.0.0.1/tcp/4222", "server_1-a"},
		"/ip4/10.0.0.1/tcp/4222/nats/server/p2p/" + id: {"10.0.0.1:4222", "/ip4/10.0.0.1/tcp/4222", "server"},
		"/ip4/10.0.0.1/tcp/4222/p2p/" + id:             {"10.0.0.1:4222", "/ip4/10.0.0.1/tcp/4222", ""},
		"/ip6/::1/tcp/4222/nats/Z9":                    {"[::1]:4222", "/ip6/::1/tcp/4222", "Z9"},
	} {
		if got, err := parse(a); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", a, got, err, want)
		}
	}
	// A name is part of a subject: it must not reach other subjects.
	for _, name := range []string{"", ">", "*", "a.b", "a b", "ä", "a/b"} {
		a := wire.Address("/ip4/10.0.0.1/tcp/4222/nats/" + name)
		if _, err := parse(a); err == nil || !strings.Contains(err.Error(), "want a name of letters, digits, - and _ behind /nats/") {
			t.Errorf("%s: got %v", a, err)
		}
	}
	for _, a := range []wire.Address{"", "/nats/server", "/ip4/10.0.0.1", "/ip4/10.0.0.1/udp/4222/nats/server"} {
		if _, err := parse(a); err == nil {
			t.Errorf("%q is an address", a)
		}
	}
}

// TestPlaceAddress: what a listener tells others leads back to it.
func TestPlaceAddress(t *testing.T) {
	self, err := wire.ParsePeerID("12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X")
	if err != nil {
		t.Fatal(err)
	}
	p := place{"10.0.0.1:4222", "/ip4/10.0.0.1/tcp/4222", "server"}
	a := p.address(self)
	if id, ok := a.Peer(); !ok || id != self {
		t.Errorf("%s is the address of %v", a, id)
	}
	if got, err := parse(a); err != nil || got != p {
		t.Errorf("%s: got %+v, %v, want %+v", a, got, err, p)
	}
}

// TestWindow: the windows of all streams of a peer together remain below what a broker buffers, and a stream has some room.
func TestWindow(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 100, 2000} {
		w := window(n)
		if w < smallestWindow || w > largestWindow {
			t.Errorf("beside %d others the window is %d", n, w)
		}
		if w > smallestWindow && w*(n+1) > allWindows {
			t.Errorf("%d windows of %d are more than %d", n+1, w, allWindows)
		}
	}
}

// TestSilentBroker: who dials through a broker that accepts the connection and says nothing waits no longer than their context
// lasts, and holds up neither those who dial through another broker nor Close.
func TestSilentBroker(t *testing.T) {
	was := connectTimeout
	connectTimeout = time.Hour
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{config: peer.TransportConfig{Log: slog.New(slog.DiscardHandler)}, brokers: map[string]*opened{}}
	dial := func(ctx context.Context, broker string) error {
		_, err := n.Dial(ctx, wire.Address("/ip4/127.0.0.1/tcp/"+broker[strings.LastIndex(broker, ":")+1:]+"/nats/nobody"), wire.PeerID{})
		return err
	}
	ctx, give := context.WithCancel(t.Context())
	first := make(chan error)
	go func() { first <- dial(ctx, silent.Addr().String()) }()
	conn, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := dial(t.Context(), startServer(t, server.Options{})); !errors.Is(err, errNobody) {
		t.Errorf("beside a broker that says nothing: got %v, want %v", err, errNobody)
	}
	give()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	o, err := n.open(silent.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	silent.Close()
	conn.Close()
	<-o.done
	if o.err == nil || o.broker != nil {
		t.Errorf("after Close the broker is %v, %v", o.broker, o.err)
	}
	connectTimeout = was
}

// TestNetworkRefuses: addresses that name nobody are refused before a broker is called, and nothing works after Close.
func TestNetworkRefuses(t *testing.T) {
	n := &network{brokers: map[string]*opened{}}
	for a, want := range map[wire.Address]string{
		"/ip4/127.0.0.1/tcp/1":        "many peers are at /ip4/127.0.0.1/tcp/1: want /nats/NAME behind it, or whose it is",
		"/ip4/127.0.0.1/tcp/1/nats/.": "want a name",
		"/tcp/1":                      "/tcp/1",
	} {
		if _, err := n.Dial(t.Context(), a, wire.PeerID{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", a, err, want)
		}
	}
	if _, err := n.Listen("/tcp/1"); err == nil {
		t.Error("it listens nowhere")
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Dial(t.Context(), "/ip4/127.0.0.1/tcp/1/nats/a", wire.PeerID{}); err != peer.ErrClosed {
		t.Errorf("after Close: %v", err)
	}
}
