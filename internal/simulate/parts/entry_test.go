package parts

import (
	"math/rand/v2"
	"testing"
)

// TestEntryState: a state of any length is read or refused.
func TestEntryState(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		var e Entry
		if err := e.UnmarshalBinary(b); (err == nil) != (n >= 8 && n%8 == 0) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
