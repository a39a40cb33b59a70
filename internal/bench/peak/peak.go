// Package peak measures the maximum speed of processors.
package peak

import "time"

// Together returns the GFLOP/s of threads that share flops operations, with only fused multiply-adds on
// registers, or 0 if it cannot be measured.
func Together(threads, flops int) float64 {
	if flopsPerStep() == 0 {
		return 0
	}
	const least = 100_000 // steps, so that threads overlap
	steps := max(flops/flopsPerStep()/threads, least)
	begin, speeds := make(chan struct{}), make(chan float64)
	for range threads {
		go func() {
			<-begin
			t := time.Now()
			multiplyAdd(steps)
			speeds <- float64(steps*flopsPerStep()) / float64(time.Since(t).Nanoseconds())
		}()
	}
	close(begin)
	sum := 0.0
	for range threads {
		sum += <-speeds
	}
	return sum
}
