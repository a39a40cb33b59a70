package tcp

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/channel"
	"github.com/bbgen/bbgen/runtime/wire"
)

func testID() wire.PeerID {
	key := [32]byte{31: 1}
	id, _ := wire.PeerIDOf(key[:])
	return id
}

// The reported addresses of a transport can be dialed.
func TestAddresses(t *testing.T) {
	id := testID()
	for _, ip := range []string{"192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "fe80::1%eth0"} {
		a := addressOf(netip.MustParseAddr(ip), 4001, id)
		if _, err := channel.HostPort(a); err != nil {
			t.Error(err)
		}
		if got, ok := a.Peer(); !ok || got != id {
			t.Errorf("%s does not name the peer", a)
		}
	}
	for _, at := range []string{"0.0.0.0", "::"} {
		list := dialable(&net.TCPAddr{IP: net.ParseIP(at), Port: 4001}, id)
		if len(list) == 0 {
			t.Errorf("%s stands for no address", at)
		}
		for _, a := range list {
			if strings.Contains(string(a), "/"+at+"/") {
				t.Errorf("%s cannot be dialed", a)
			}
		}
	}
}
