package nats

import (
	"strings"
	"testing"

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

// TestNetworkRefuses: addresses that name nobody are refused before a broker is called, and nothing works after Close.
func TestNetworkRefuses(t *testing.T) {
	n := &network{brokers: map[string]*broker{}}
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
