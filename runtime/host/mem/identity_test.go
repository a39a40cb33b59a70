package mem_test

import (
	"io"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/mem"
)

// A simulated signature is valid for one peer and one message, and random numbers follow from the seed and
// differ between peers.
func TestIdentity(t *testing.T) {
	a, b := mem.Identity(1), mem.Identity(2)
	message := []byte("message")
	s := a.Sign(message)
	if !b.Verify(a.Self(), message, s) || b.Verify(b.Self(), message, s) || b.Verify(a.Self(), []byte("massage"), s) || b.Verify(a.Self(), message, nil) {
		t.Error("a signature is refused, or accepted of another peer or message")
	}
	drawn := func(seed uint64, i int) []byte {
		x := make([]byte, 32)
		if _, err := io.ReadFull(mem.Random(seed, i), x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	if !slices.Equal(drawn(1, 2), drawn(1, 2)) || slices.Equal(drawn(1, 2), drawn(1, 3)) || slices.Equal(drawn(1, 2), drawn(2, 2)) {
		t.Error("what is drawn does not follow from the seed and the peer")
	}
}
