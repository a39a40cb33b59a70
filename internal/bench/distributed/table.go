package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"
)

// row is one figure.
type row struct {
	Figure string  `json:"figure"`
	Host   string  `json:"host,omitempty"` // the network of the peers
	Value  float64 `json:"value"`
	Best   float64 `json:"best,omitempty"` // of several, where Value is their median
	Low    float64 `json:"low,omitempty"`  // and their quartiles
	High   float64 `json:"high,omitempty"`
	Unit   string  `json:"unit,omitempty"`
	Bound  string  `json:"bound,omitempty"` // "≤" or "≥": the required relation of Value to Bar; "": for comparison only
	Bar    float64 `json:"bar,omitempty"`
	Others string  `json:"others,omitempty"` // values of other systems
}

// met reports whether a figure meets its bar.
func (r *row) met() bool {
	if r.Bound == "≥" {
		return r.Value >= r.Bar
	}
	return r.Value <= r.Bar
}

// page returns the section of BENCH.md.
func page(rows []row, note string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `## Distributed

Written by `+"`go run ./internal/bench/distributed`"+` (its -h says how): generated peers, each a process of its own, that talk over
encrypted connections on one machine's loopback (%d cores, %s/%s, %s). Clients train nothing: they add a constant to each
parameter, so that all of a round's time is the system's. Figures are medians, with the quartiles in parentheses and the best beside
them; those of others were taken on a machine of the same kind: Flower 1.22 (SuperLink and SuperNodes, not encrypted), PCCL, etcd's raft.%s

| figure | over | median | best | bar | | others |
| --- | --- | --: | --: | --: | --- | --- |
`, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), note)
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", r.Figure, r.Host, r.middle(), r.best(), r.bar(), r.verdict(), r.Others)
	}
	return b.String()
}

// note reports that other processes were using the machine, if they were.
func note(load float64, busy bool) string {
	if !busy {
		return ""
	}
	return fmt.Sprintf("\n\nThe machine was busy when these were taken (load %.1f on %d cores): times are longer than they need be.", load, runtime.NumCPU())
}

// middle returns the figure, with the quartiles of several values.
func (r *row) middle() string {
	v := number(r.Value, r.Unit)
	if r.Low == r.High {
		return v
	}
	return fmt.Sprintf("%s (%s to %s)", v, strings.TrimSuffix(number(r.Low, r.Unit), " "+r.Unit), strings.TrimSuffix(number(r.High, r.Unit), " "+r.Unit))
}

// best returns the best of several values, or "" for a single one.
func (r *row) best() string {
	if r.Best == 0 {
		return ""
	}
	return number(r.Best, r.Unit)
}

// bar returns the required value of a figure as text.
func (r *row) bar() string {
	if r.Bound == "" {
		return ""
	}
	return r.Bound + " " + number(r.Bar, r.Unit)
}

// verdict returns a short text, so that missed bars are easy to see.
func (r *row) verdict() string {
	switch {
	case r.Bound == "":
		return ""
	case r.met():
		return "met"
	}
	return "**missed**"
}

// number formats a figure with three significant digits, or more before the decimal point. A figure without a
// unit is a ratio, near 1.
func number(x float64, unit string) string {
	digits := 0
	for limit := 100.0; x < limit && digits < 3; limit /= 10 {
		digits++
	}
	switch {
	case unit == "":
		digits = 4
	case x == math.Trunc(x):
		digits = 0
	}
	return strings.TrimSpace(fmt.Sprintf("%.*f %s", digits, x, unit))
}

// timed returns a row for a list of times in milliseconds. Their median must be below the bar, if it is not
// 0.
func timed(figure, host string, times []time.Duration, bar float64, others string) row {
	list := make([]float64, len(times))
	for i, d := range times {
		list[i] = ms(d)
	}
	r := spread(row{Figure: figure, Host: host, Unit: "ms", Others: others}, list)
	if bar > 0 {
		r.Bound, r.Bar = "≤", bar
	}
	return r
}

// spread sets the median, the quartiles and the smallest of several values.
func spread(r row, list []float64) row {
	s := slices.Sorted(slices.Values(list))
	r.Value, r.Best, r.Low, r.High = s[len(s)/2], s[0], s[len(s)/4], s[len(s)*3/4]
	return r
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
