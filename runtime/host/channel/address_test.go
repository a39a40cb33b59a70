package channel

import (
	"net"
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

func testID() wire.PeerID {
	key := [32]byte{31: 1}
	id, _ := wire.PeerIDOf(key[:])
	return id
}

// TestHostPort checks the host and port of each form of address.
func TestHostPort(t *testing.T) {
	for a, want := range map[wire.Address]string{
		"/ip4/192.0.2.1/tcp/4001":                                     "192.0.2.1:4001",
		"/ip6/2001:db8::1/tcp/4001":                                   "[2001:db8::1]:4001",
		"/dns/example.com/tcp/443":                                    "example.com:443",
		"/dns4/example.com/tcp/0":                                     "example.com:0",
		"/ip4/192.0.2.1/tcp/1/p2p/" + wire.Address(testID().String()): "192.0.2.1:1",
		"/ip4/192.0.2.1/udp/4001/quic-v1":                             "",
		"/ip4/192.0.2.1/tcp/70000":                                    "",
		"/ip4/192.0.2.1/tcp/":                                         "",
		"/ip4/::1/tcp/1":                                              "",
		"/ip6/192.0.2.1/tcp/1":                                        "",
		"/dns//tcp/1":                                                 "",
		"/dns/a[b/tcp/1":                                              "",
		"/dns/a:b/tcp/1":                                              "",
		"/dns/a%b/tcp/1":                                              "",
		"/unix/a/tcp/1":                                               "",
		"/ip4/192.0.2.1/tcp/1/p2p-circuit/" + wire.Address("x"):                 "",
		"/ip4/192.0.2.1/tcp/1/p2p/" + wire.Address(testID().String()) + "/more": "",
	} {
		if got, err := HostPort(a); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, %v; want %q", a, got, err, want)
		}
	}
}

func FuzzHostPort(f *testing.F) {
	f.Add("/ip4/192.0.2.1/tcp/4001")
	f.Add("/dns6/a/tcp/1/p2p/x")
	f.Add("/dns/a[b/tcp/1")
	f.Fuzz(func(t *testing.T, s string) {
		at, err := HostPort(wire.Address(s))
		if err != nil {
			return
		}
		if _, _, err := net.SplitHostPort(at); err != nil {
			t.Fatalf("%q is %q: %v", s, at, err)
		}
	})
}
