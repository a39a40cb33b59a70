// Package peak measures what processors can do at most.
package peak

import "time"

// Together returns the GFLOP/s that so many threads reach which share so many
// operations, each with nothing but fused multiply-adds on registers of its own;
// 0 where nothing measures it.
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
