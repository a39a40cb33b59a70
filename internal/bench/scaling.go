package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/bbgen/bbgen/internal/bench/section"
)

// scaling returns the section of BENCH.md about more than two threads, at the first level.
func (b *bench) scaling(rows []*row) string {
	var p strings.Builder
	fmt.Fprintf(&p, `## Scaling

Written by `+"`go run ./internal/bench -scaling -threads %s`"+` on a machine of %d cores, %s (%s/%s): what a run takes by the
clock, in microseconds, medians, in turn, in one run; how many times faster that is than with one thread; and how many times
faster than the best engine with as many threads.

| model | threads | bbgen | faster than with 1 | best engine | its time | faster than with 1 | ratio |
| --- | --: | --: | --: | --- | --: | --: | --: |
`, b.threads.String(), runtime.NumCPU(), section.Processor(), runtime.GOOS, runtime.GOARCH)
	level := b.levels[0].String()
	for _, r := range rows {
		clock := func(who string, threads int) float64 { return r.times[contender{who, level, threads}].Median }
		for _, n := range b.threads {
			who, title := r.fastest(level, n)
			mine, theirs := clock(bbgenKey, n), clock(who, n)
			fmt.Fprintf(&p, "| %s | %d | %s | %s | %s | %s | %s | %s |\n", r.name, n,
				us(mine), times(clock(bbgenKey, 1), mine), title, us(theirs), times(clock(who, 1), theirs), ratio(theirs, mine))
		}
	}
	return p.String()
}

// fastest returns the key and the title of the engine that is the fastest by the clock, or "" and "–".
func (r *row) fastest(level string, threads int) (key, title string) {
	title, best := "–", 0.0
	for _, e := range engines {
		if t := r.times[contender{e.key, level, threads}].Median; t > 0 && (best == 0 || t < best) {
			key, title, best = e.key, e.title, t
		}
	}
	return key, title
}

// times returns the speed relative to one thread, as text.
func times(one, more float64) string {
	if one == 0 || more == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", one/more)
}
