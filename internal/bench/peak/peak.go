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
	return together(threads, flops, flopsPerStep(level), func(steps int) { multiplyAdd(level, steps) })
}

// Tiles is [At] for products of tiles of bytes, or of bfloat16, that stay in their registers. The kernels of runtime/cpu
// must use tiles as well: they ask the operating system for them.
func Tiles(halves bool, threads, flops int) float64 {
	if !hasTiles(halves) {
		return 0
	}
	perTile := 2 * 16 * 16 * 64
	if halves {
		perTile /= 2
	}
	return together(threads, flops, tilesPerStep*perTile, func(steps int) { multiplyTiles(halves, steps) })
}

// together returns the operations of a nanosecond of threads that run steps of some operations each.
func together(threads, flops, perStep int, run func(steps int)) float64 {
	const least = 100_000 // steps, so that threads overlap
	steps := max(flops/perStep/threads, least)
	begin, speeds := make(chan struct{}), make(chan float64)
	for range threads {
		go func() {
			<-begin
			t := time.Now()
			run(steps)
			speeds <- float64(steps*perStep) / float64(time.Since(t).Nanoseconds())
		}()
	}
	close(begin)
	sum := 0.0
	for range threads {
		sum += <-speeds
	}
	return sum
}
