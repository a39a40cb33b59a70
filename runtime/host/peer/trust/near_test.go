package trust

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

func TestNear(t *testing.T) {
	for _, tt := range []struct {
		want bool
		list []wire.Address
	}{
		{false, nil},
		{true, []wire.Address{"/ip4/127.0.0.1/tcp/4001"}},
		{true, []wire.Address{"/ip4/192.0.2.1/tcp/4001", "/ip6/::1/tcp/4001"}}, // a machine lists all of its addresses
		{true, []wire.Address{"/ip6/::ffff:127.0.0.1/tcp/4001"}},
		{true, []wire.Address{"/dns4/localhost/tcp/4001"}},
		{false, []wire.Address{"/ip4/192.0.2.1/tcp/4001"}}, // reserved for documents (RFC 5737)
		{false, []wire.Address{"/dns4/localhost.example/tcp/4001"}},
		{false, []wire.Address{"/mem"}},
		{false, []wire.Address{""}},
	} {
		if got := isNear(tt.list); got != tt.want {
			t.Errorf("%q: got %v, want %v", tt.list, got, tt.want)
		}
	}
	for _, ip := range own() {
		if a := wire.Address("/ip4/" + ip.String() + "/tcp/1"); !isNear([]wire.Address{a}) {
			t.Errorf("%s is an address of this machine", a)
		}
	}
}
