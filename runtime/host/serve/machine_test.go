package serve

import (
	"runtime"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/machine"
)

// Defaults follow the machine: an eighth of its memory, and a thread for each whole processor.
func TestFit(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	for _, tt := range []struct {
		machine machine.Machine
		given   options
		bodies  size
		threads int
	}{
		{machine.Machine{}, options{maxRequest: 1 << 20}, 256 << 20, runtime.GOMAXPROCS(0)},
		{machine.Machine{Memory: 512 << 20, CPUs: 1.9}, options{maxRequest: 1 << 20}, 64 << 20, 1},
		{machine.Machine{Memory: 64 << 20, CPUs: 0.5}, options{maxRequest: 16 << 20}, 32 << 20, 1},
		{machine.Machine{Memory: 64 << 20, CPUs: 0.5}, options{maxBodies: 5, threads: 7, concurrency: 7}, 5, 7},
	} {
		opt := tt.given
		opt.fit(&tt.machine)
		if opt.maxBodies != tt.bodies || opt.threads != tt.threads || opt.concurrency != tt.threads {
			t.Errorf("%+v: %d bytes, %d threads for %d requests, want %d and %d", tt.machine, opt.maxBodies, opt.threads, opt.concurrency, tt.bodies, tt.threads)
		}
	}
}
