package cpu

import "testing"

// allocations is how often a run of f allocates when all threads have memory of their own:
// on a busy machine they come together late, and only then are there buffers for all.
func allocations(runs int, f func()) float64 {
	n := testing.AllocsPerRun(runs, f)
	for try := 0; n > 0 && try < 10; try++ {
		n = testing.AllocsPerRun(runs, f)
	}
	return n
}
