package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/bbgen/bbgen/internal/bench/section"
)

// page returns the section "Training" of BENCH.md.
func page(rows []*row, threads []int, busy string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `## Training

Written by `+"`go run ./internal/bench/train -python python3 -gomlx ./internal/bench/gomlx`"+`: a step of training (forward,
cross entropy, backward, Adam) in microseconds, on the same machine's cores (%d, %s/%s, %s), in turn, in one run; medians.
PyTorch's figure is the better of eager and compiled, with its fused Adam; gomlx runs its backend in Go. A ratio above 1 says
that bbgen is faster. One thread is compared by processor time, more by the clock. Memory is the most that a process had:
PyTorch's holds Python and its libraries.%s

| model | threads | bbgen | PyTorch | ratio | gomlx | ratio | memory, MB | PyTorch | gomlx |
| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |
`, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), busy)
	for _, r := range rows {
		for _, threads := range threads {
			time := func(f figures) float64 {
				if threads == 1 {
					return f.CPU
				}
				return f.Median
			}
			mine, torch, mlx := r.found["bbgen"][threads], r.torch(threads, time), r.found["gomlx"][threads]
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.text, threads,
				number(time(mine)), number(time(torch)), ratio(time(torch), time(mine)), number(time(mlx)), ratio(time(mlx), time(mine)),
				number(mine.Peak/1024), number(torch.Peak/1024), number(mlx.Peak/1024))
		}
	}
	return b.String()
}

// busy reports that other processes were using the machine, if they were.
func busy() string {
	load, busy := section.Busy()
	if !busy {
		return ""
	}
	return fmt.Sprintf(`

The machine was busy when these were taken (load %.1f): the times of two threads say little, since programs whose threads
wait for each other by spinning, as PyTorch's do, come to a standstill there.`, load)
}

// torch returns the better of PyTorch's two modes.
func (r *row) torch(threads int, time func(figures) float64) figures {
	eager, compiled := r.found["eager"][threads], r.found["compiled"][threads]
	if time(eager) == 0 || time(compiled) > 0 && time(compiled) < time(eager) {
		return compiled
	}
	return eager
}

func number(x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", x)
}

func ratio(theirs, mine float64) string {
	if theirs == 0 || mine == 0 {
		return "–"
	}
	return fmt.Sprintf("**%.2f**", theirs/mine)
}
