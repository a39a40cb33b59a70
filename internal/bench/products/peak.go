package main

import "time"

// peak is the GFLOP/s that so many threads reach together, each with nothing but
// fused multiply-adds on registers of its own; 0 where nothing measures it.
func peak(threads int, budget time.Duration) float64 {
	if flopsPerStep() == 0 {
		return 0
	}
	most := 0.0
	for start := time.Now(); time.Since(start) < budget; {
		most = max(most, together(threads))
	}
	return most
}

// together is the speed of threads that begin at the same time.
func together(threads int) float64 {
	const steps = 100_000
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
