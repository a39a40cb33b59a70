// Package peak measures the maximum speed of processors.
package peak

import (
	"time"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// level is the level when the program starts. Later the compiler lowers the current level, as it folds
// constants with the portable kernels.
var level = cpu.CurrentLevel()

// Together is [At] for the level at which the program has started.
func Together(threads, flops int) float64 { return At(level, threads, flops) }

// At returns the GFLOP/s of threads that share flops operations, with only fused multiply-adds on the registers
// of a level, or 0 if it cannot be measured.
func At(level cpu.Level, threads, flops int) float64 {
	if flopsPerStep(level) == 0 {
		return 0
	}
	const least = 100_000 // steps, so that threads overlap
	steps := max(flops/flopsPerStep(level)/threads, least)
	begin, speeds := make(chan struct{}), make(chan float64)
	for range threads {
		go func() {
			<-begin
			t := time.Now()
			multiplyAdd(level, steps)
			speeds <- float64(steps*flopsPerStep(level)) / float64(time.Since(t).Nanoseconds())
		}()
	}
	close(begin)
	sum := 0.0
	for range threads {
		sum += <-speeds
	}
	return sum
}
