package runtime

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Memory counts once, as long as a payload stands there, and no more of it is kept than the
// limit says.
func TestPins(t *testing.T) {
	const limit = 3 << 20
	var p pins
	one, other := tensor.NewMemory(2<<20), tensor.NewMemory(2<<20)
	for range 3 {
		if !p.takes(one, limit) {
			t.Fatal("there is no room for what is kept already")
		}
	}
	if p.takes(other, limit) {
		t.Error("more memory is kept than may be")
	}
	for range 3 {
		p.release(one)
	}
	if p.bytes != 0 || len(p.payloads) != 0 {
		t.Errorf("%d bytes are kept for %d payloads, want none", p.bytes, len(p.payloads))
	}
	if !p.takes(other, limit) {
		t.Error("there is no room when nothing is kept")
	}
}
