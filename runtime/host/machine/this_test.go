package machine

import (
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
)

// This process has a processor, and no more threads than Go. GOMAXPROCS and GOMEMLIMIT override what containers say.
func TestThisMachine(t *testing.T) {
	m := Read()
	if m.CPUs <= 0 || m.Threads() < 1 || m.Threads() > runtime.GOMAXPROCS(0) {
		t.Errorf("%v processors, %d threads", m.CPUs, m.Threads())
	}
	t.Setenv("GOMAXPROCS", "3")
	quarter := Machine{CPUs: 0.25}
	if n := quarter.Threads(); n != runtime.GOMAXPROCS(0) {
		t.Errorf("%d threads, want Go's %d", n, runtime.GOMAXPROCS(0))
	}
	was := debug.SetMemoryLimit(1 << 20)
	defer debug.SetMemoryLimit(was)
	if m := Read(); m.Memory != 1<<20 {
		t.Errorf("%d bytes of memory, want the limit of Go", m.Memory)
	}
	if n, ok := Free(filepath.Join(t.TempDir(), "none")); n != 0 || ok {
		t.Errorf("a folder that is not there has %d free bytes: %v", n, ok)
	}
}
