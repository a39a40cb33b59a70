package conversation

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

// The part of a payload that the peer has is not sent again.
func TestResumeOffset(t *testing.T) {
	b := NewSender(4)
	b.Start(wire.Ack{Bulk: 1, Offset: 10, Credit: 6}, wire.Bytes("a payload that comes in parts"))
	for _, at := range []uint64{10, 14} {
		_, c, ok := b.next()
		if want := min(16-at, 4); !ok || c.at != at || uint64(c.size) != want {
			t.Errorf("got %d bytes from %d on, want %d from %d on", c.size, c.at, want, at)
		}
	}
}
