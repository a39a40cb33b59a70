package peer

import (
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Both ends keep the same one of two connections, in whatever order they see them.
func TestWins(t *testing.T) {
	a, b := testID(1), testID(2)
	type seen struct {
		self, other wire.PeerID
		byA         bool // a dialed the present connection
	}
	keptByA := func(self, other wire.PeerID, firstByA bool) bool {
		l := &link{PeerConfig: runtime.PeerConfig{ID: other}, conn: &conn{dialed: firstByA == (self == a), hello: wire.Hello{Incarnation: 5}}}
		if l.wins(self, !l.conn.dialed, 5) {
			return !firstByA
		}
		return firstByA
	}
	for _, x := range []seen{{a, b, true}, {a, b, false}, {b, a, true}, {b, a, false}} {
		if !keptByA(x.self, x.other, x.byA) {
			t.Errorf("%+v: the connection that the larger id dialed is kept", x)
		}
	}
	l := &link{PeerConfig: runtime.PeerConfig{ID: a}, conn: &conn{dialed: false, hello: wire.Hello{Incarnation: 5}}}
	if !l.wins(b, true, 6) {
		t.Error("a peer that was started anew is not listened to")
	}
	if !l.wins(b, false, 5) {
		t.Error("the later of two that one end dialed does not count")
	}
}
