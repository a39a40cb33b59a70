package cpu

import "testing"

// allocations returns the allocations of a run of f when all threads have buffers: on a busy machine, threads
// start late, and allocate then. With -short, as under an emulator, it only runs f: what allocates is the same on
// all processors.
func allocations(runs int, f func()) float64 {
	if testing.Short() {
		f()
		return 0
	}
	n := testing.AllocsPerRun(runs, f)
	for try := 0; n > 0 && try < 10; try++ {
		n = testing.AllocsPerRun(runs, f)
	}
	return n
}
