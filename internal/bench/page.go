package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/bbgen/bbgen/internal/bench/section"
)

// page returns the section "Inference" of BENCH.md.
func (b *bench) page(rows []*row) string {
	var p strings.Builder
	fmt.Fprintf(&p, `## Inference

Written by `+"`go run ./internal/bench -level all -cases DIR`"+`, whose -h describes the cases in DIR: generated peers, and ONNX Runtime,
OpenVINO and MNN on the same cases, in turn, in one run, on %d cores of one machine: %s
(%s/%s, %s).%s Times are medians in microseconds. One thread is compared by processor time, more
threads by the clock. The ratio is the time of the best engine over that of bbgen: above 1, bbgen is faster. All of
them are given the sizes of the inputs beforehand. Each engine has its setting for latency, computes in float32 and is called from
Python, with inputs and outputs in place. An engine whose outputs
differ by more than rounding has no time ("wrong"), nor has one that refuses the model ("fails"). At a level below the machine's
best, the engines run their kernels for that level as well. Of the peak is what the arithmetic of the model as it stands in its file
comes to, in parts of what as many multiply-adds of float32 on registers take.
`, runtime.NumCPU(), section.Processor(), runtime.GOOS, runtime.GOARCH, runtime.Version(), b.versions()+b.load+b.quietness())
	for _, level := range b.levels {
		for _, threads := range b.threads {
			fmt.Fprintf(&p, "\n### Level %v, %s\n\n%s", level, plural(threads), b.table(rows, level.String(), threads))
		}
	}
	return p.String()
}

// versions lists the versions of the engines, as a sentence.
func (b *bench) versions() string {
	var out []string
	for _, e := range engines {
		if v := b.version[e.key]; v != "" {
			out = append(out, e.title+" "+v)
		}
	}
	if out == nil {
		return ""
	}
	return " The engines are " + strings.Join(out, ", ") + "."
}

// busy says whether others use the machine, as a sentence.
func busy() string {
	if load, busy := section.Busy(); busy {
		return fmt.Sprintf(" The machine was busy when it began (load %.1f).", load)
	}
	return ""
}

func plural(threads int) string {
	if threads == 1 {
		return "1 thread"
	}
	return fmt.Sprint(threads, " threads")
}

// table returns the table of a level and a number of threads.
func (b *bench) table(rows []*row, level string, threads int) string {
	var p strings.Builder
	p.WriteString("| model | bbgen |")
	for _, e := range engines {
		fmt.Fprintf(&p, " %s |", e.title)
	}
	p.WriteString(" ratio | best engine |")
	if threads == 1 {
		p.WriteString(" of the peak | arena bytes | allocations |")
	} else {
		p.WriteString(" bbgen, over 1 thread |")
	}
	p.WriteString("\n| --- | --: |" + strings.Repeat(" --: |", len(engines)) + " --: | --- |" + strings.Repeat(" --: |", map[bool]int{true: 3, false: 1}[threads == 1]) + "\n")
	var ratios []float64
	for _, r := range rows {
		mine := contender{bbgenKey, level, threads}
		fmt.Fprintf(&p, "| %s | %s |", r.name, us(r.us(mine)))
		for _, e := range engines {
			fmt.Fprintf(&p, " %s |", r.cell(contender{e.key, level, threads}))
		}
		who, best := r.best(level, threads)
		fmt.Fprintf(&p, " %s | %s |", ratio(best, r.us(mine)), who)
		if threads == 1 {
			fmt.Fprintf(&p, " %s | %d | %.0f |", r.ofPeak(level), r.arena, r.times[mine].Allocs)
		} else {
			fmt.Fprintf(&p, " %s |", times(r.times[contender{bbgenKey, level, 1}].Median, r.times[mine].Median))
		}
		p.WriteString("\n")
		if best > 0 && !r.made {
			ratios = append(ratios, best/r.us(mine))
		}
	}
	if len(ratios) > 0 {
		fmt.Fprintf(&p, "\nGeometric mean of the ratios: %.2f. Networks of dense layers called by their sizes do not count.\n", mean(ratios))
	}
	return p.String()
}

// us returns the time of a contender in microseconds, or 0.
func (r *row) us(c contender) float64 {
	if c.threads == 1 {
		return r.times[c].CPU
	}
	return r.times[c].Median
}

// cell returns the time of an engine, or why it has none.
func (r *row) cell(c contender) string {
	if why := r.why[c]; why != "" {
		return why
	}
	return us(r.us(c))
}

// best returns the title and the time of the fastest engine, or "–" and 0.
func (r *row) best(level string, threads int) (title string, best float64) {
	title = "–"
	for _, e := range engines {
		if t := r.us(contender{e.key, level, threads}); t > 0 && (best == 0 || t < best) {
			title, best = e.title, t
		}
	}
	return title, best
}

// ofPeak returns the part of the peak speed that one thread reaches at a level, as text.
func (r *row) ofPeak(level string) string {
	us, peak := r.us(contender{bbgenKey, level, 1}), r.peak[level]
	if r.flops == 0 || peak == 0 || us == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(r.flops)/(1e3*us*peak))
}

func us(x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", x)
}

func ratio(theirs, mine float64) string {
	if theirs == 0 || mine == 0 {
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
