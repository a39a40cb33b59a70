//go:build unix

package rusage

import (
	"os"
	"os/exec"
	"testing"
)

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

// TestChildren: the time of a child counts when it has ended, and only as one of children.
func TestChildren(t *testing.T) {
	if os.Getenv("BBGEN_SPEND") != "" {
		TestGrows(t)
		return
	}
	before := Children()
	for n := 1; ; n++ { // the resolution of the time is the system's
		child := exec.Command(os.Args[0], "-test.run=^TestChildren$")
		child.Env = append(os.Environ(), "BBGEN_SPEND=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if Children() > before {
			break
		}
		if n == 100 {
			t.Fatalf("%d children have ended, and their time is still %v", n, before)
		}
	}
}
