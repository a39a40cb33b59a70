//go:build unix

package rusage

import "testing"

// TestGrows: the processor time grows with what is computed, and the memory is at least what is in use.
func TestGrows(t *testing.T) {
	before := CPU()
	held := make([]byte, 16<<20)
	for x := byte(1); ; { // the resolution of the time is the system's
		for i := range held {
			x = x*31 + byte(i)
			held[i] = x
		}
		if CPU() > before {
			break
		}
	}
	if got := Memory(); got < uint64(len(held)) {
		t.Errorf("the process has used %d bytes at most, and holds %d", got, len(held))
	}
}
