package run

import (
	"time"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// peak is the maximum throughput of the machine with the present threads.
type peak struct {
	GFLOPS float64 `json:"gflops"` // of a product whose operands stay in L1
	GBS    float64 `json:"gbs"`    // of a copy between buffers that exceed the caches; reads and writes count
}

// atLeast combines two measurements: a disturbance may affect only one of them.
func (p *peak) atLeast(q peak) { p.GFLOPS, p.GBS = max(p.GFLOPS, q.GFLOPS), max(p.GBS, q.GBS) }

// measurePeak takes about as long as budget.
func measurePeak(threads int, budget time.Duration) peak {
	old := cpu.Threads()
	cpu.SetThreads(1) // each thread has a product of its own
	defer cpu.SetThreads(old)
	return peak{
		GFLOPS: best(threads, budget/2, product),
		GBS:    best(threads, budget/2, func() work { return copying(threads) }),
	}
}

// work is a repeatable function; it returns the amount of work.
type work struct {
	do   func()
	size float64 // operations or bytes
}

// best returns the maximum throughput per nanosecond of a number of threads, each with work of its own.
func best(threads int, budget time.Duration, make func() work) float64 {
	var all works
	for range threads {
		all = append(all, make())
	}
	most := 0.0
	for start := time.Now(); time.Since(start) < budget; {
		most = max(most, all.rate())
	}
	return most
}

// works is the work of concurrent threads.
type works []work

// rate runs the work of all threads concurrently.
func (all works) rate() float64 {
	begin, rates := make(chan struct{}), make(chan float64)
	for _, w := range all {
		go func() {
			<-begin
			t := time.Now()
			w.do()
			rates <- w.size / float64(time.Since(t).Nanoseconds())
		}()
	}
	close(begin)
	sum := 0.0
	for range all {
		sum += <-rates
	}
	return sum
}

// product is a repeated product of 56×128 by 128×32, which needs 44 KB.
func product() work {
	const m, k, n, times = 56, 128, 32, 200
	a, b, packed, dst := make([]float32, m*k), make([]float32, k*n), make([]float32, cpu.PackB32Size(k, n)), make([]float32, m*n)
	cpu.PackB32(packed, b, k, n)
	return work{func() {
		for range times {
			cpu.MatMulPacked32(dst, a, packed, nil, m, k, n, cpu.ActNone)
		}
	}, 2 * m * k * n * times}
}

// copying copies 64 MB, split between the threads.
func copying(threads int) work {
	const bytes = 64 << 20
	src, dst := make([]byte, bytes/threads), make([]byte, bytes/threads)
	for i := range src {
		src[i] = byte(i) // pages that were never written would all be one page of zeros
	}
	return work{func() { copy(dst, src) }, 2 * float64(len(src))}
}
