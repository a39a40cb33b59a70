package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/bbgen/bbgen/internal/bench/section"
)

// scaling returns the section of BENCH.md about more than two threads.
func scaling(rows []*row, threads section.Counts) string {
	var b strings.Builder
	fmt.Fprintf(&b, `## Scaling

Written by `+"`go run ./internal/bench -threads %s`"+` on a machine of %d cores (%s/%s): what a run takes by the clock, in
microseconds, medians, in turn, in one run; how many times faster that is than with one thread; and how many times faster than ONNX
Runtime with as many.

| model | threads | bbgen | faster than with 1 | ONNX Runtime | faster than with 1 | ratio |
| --- | --: | --: | --: | --: | --: | --: |
`, threads.String(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	for _, r := range rows {
		for _, n := range threads {
			mine, theirs := r.peer[n].Median, r.ort[n].Median
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s |\n", r.name, n,
				us(mine), times(r.peer[1].Median, mine), us(theirs), times(r.ort[1].Median, theirs), ratio(theirs, mine))
		}
	}
	return b.String()
}

// times returns the speed relative to one thread, as text.
func times(one, more float64) string {
	if one == 0 || more == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", one/more)
}
