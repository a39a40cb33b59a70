package peak

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// few is a number of operations that take some milliseconds, more than a step of a coarse clock.
const few = 1 << 29

// checkSpeed checks that a figure is one: it can be as low as a busy machine likes, but no thread does a million operations in a
// nanosecond.
func checkSpeed(t *testing.T, what string, speed float64, threads int) {
	t.Helper()
	if !(speed > 0 && speed < 1e6*float64(threads)) {
		t.Errorf("%s: %v GFLOP/s", what, speed)
	}
}

// TestEachLevel measures each level that the machine has and that there is a loop for, by one thread and by several.
func TestEachLevel(t *testing.T) {
	for _, l := range cpu.Levels() {
		for _, threads := range []int{1, 3} {
			speed, what := At(l, threads, few), fmt.Sprintf("%v, %d threads", l, threads)
			if l == cpu.Portable || l == cpu.NEON {
				if speed != 0 {
					t.Errorf("%s: %v GFLOP/s without a loop", what, speed)
				}
				continue
			}
			checkSpeed(t, what, speed, threads)
		}
	}
}

// TestNoLoop: what the architecture has no loop for is 0, and nothing runs.
func TestNoLoop(t *testing.T) {
	for _, l := range []cpu.Level{cpu.Portable, cpu.NEON} {
		if speed := At(l, 1, few); speed != 0 {
			t.Errorf("%v: %v GFLOP/s", l, speed)
		}
	}
	for _, halves := range []bool{false, true} {
		speed := Tiles(halves, 2, few)
		if hasTiles(halves) {
			checkSpeed(t, fmt.Sprintf("tiles, halves %v", halves), speed, 2)
		} else if speed != 0 {
			t.Errorf("tiles, halves %v: %v GFLOP/s of a processor that has none", halves, speed)
		}
	}
	if runtime.GOARCH != "amd64" && Together(1, few) != 0 {
		t.Error("there are no loops of other architectures")
	}
}

// TestTogetherIsTheLevelAtStart: lowering the level, as folding constants does, changes nothing.
func TestTogetherIsTheLevelAtStart(t *testing.T) {
	defer cpu.SetLevel(cpu.SetLevel(cpu.Portable))
	speed := Together(1, few)
	if flopsPerStep(level) == 0 {
		if speed != 0 {
			t.Errorf("%v GFLOP/s at level %v, which has no loop", speed, level)
		}
		return
	}
	checkSpeed(t, level.String(), speed, 1)
}

// TestThreadsShareOperations: all threads run at the same time, each with its share of the operations, and their speeds are added.
func TestThreadsShareOperations(t *testing.T) {
	const threads, perStep = 4, 10
	const steps = 300_000 // of each
	var running atomic.Int64
	all := make(chan struct{})
	speed := together(threads, threads*steps*perStep, perStep, func(n int) {
		if n != steps {
			t.Errorf("%d steps of a thread, want %d", n, steps)
		}
		if running.Add(1) == threads {
			close(all)
		}
		<-all
	})
	if running.Load() != threads || !(speed > 0) {
		t.Errorf("%d threads of %d have run, at %v", running.Load(), threads, speed)
	}
	together(2, 1, perStep, func(n int) {
		if n != 100_000 {
			t.Errorf("%d steps for few operations", n)
		}
	})
}

// TestOperationsOfStep: a step has a multiplication and an addition for each of the elements of twelve registers.
func TestOperationsOfStep(t *testing.T) {
	for _, l := range cpu.Levels() {
		bits := map[cpu.Level]int{cpu.AVX2: 256, cpu.AVX512: 512}[l]
		if got, want := flopsPerStep(l), bits/32*12*2; got != want {
			t.Errorf("%v: %d operations of a step, want %d", l, got, want)
		}
	}
}
