package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"
)

// page returns BENCH.md.
func page(rows []*row) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Speed

Written by `+"`go run ./internal/bench`"+` (its -h says how): generated peers and ONNX Runtime on the same cases, in turn, in one
run, on %d cores of one machine (%s/%s, %s). Times are medians in microseconds; a ratio above 1 says that bbgen is faster.
One thread is compared by processor time, two threads by the clock. Of the peak is what the arithmetic of the model as it
stands in its file comes to with one thread, in parts of what as many multiply-adds of float32 on registers take.

| model | bbgen, 1 thread | ONNX Runtime | ratio | of the peak | bbgen, 2 threads | ONNX Runtime | ratio | 2 over 1 | arena bytes | allocations |
| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |
`, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	var one, two []float64
	for _, r := range rows {
		p1, p2, o1, o2 := r.peer[1], r.peer[2], r.ort[1], r.ort[2]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %.2f | %d | %.0f |\n", r.name,
			us(p1.CPU), us(o1.CPU), ratio(o1.CPU, p1.CPU), r.ofPeak(p1.CPU), us(p2.Median), us(o2.Median), ratio(o2.Median, p2.Median),
			p1.Median/p2.Median, r.arena, p1.Allocs)
		if o1.CPU > 0 && !r.made {
			one, two = append(one, o1.CPU/p1.CPU), append(two, o2.Median/p2.Median)
		}
	}
	if len(one) > 0 {
		fmt.Fprintf(&b, "\nGeometric mean of the ratios: %.2f with one thread, %.2f with two. Networks of dense layers called by their sizes do not count.\n", mean(one), mean(two))
	}
	return b.String()
}

// ofPeak returns the part of the peak speed that a run of some microseconds reaches, as text.
func (r *row) ofPeak(us float64) string {
	if r.flops == 0 || r.peak == 0 || us == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(r.flops)/(1e3*us*r.peak))
}

func us(x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", x)
}

func ratio(theirs, mine float64) string {
	if theirs == 0 {
		return "–"
	}
	return fmt.Sprintf("**%.2f**", theirs/mine)
}

// mean returns the geometric mean.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(x)))
}
