package main

import (
	"strings"
	"testing"
	"time"
)

func TestPage(t *testing.T) {
	rows := []row{
		timed("a round", "tcp", []time.Duration{40e6, 20e6, 30e6}, 35, "Flower 6200 ms"),
		timed("a slow round", "tcp", []time.Duration{40e6}, 35, ""),
		{Figure: "throughput, of what the stream gives", Value: 0.85, Bound: "≥", Bar: 0.9},
		{Figure: "told for comparison", Value: 12, Unit: "MB"},
		{Figure: "allocations", Unit: "bytes", Bound: "≤"},
	}
	p := page(rows, note(7.25, true))
	for _, want := range []string{
		"## Distributed\n",
		"\n\nThe machine was busy when these were taken (load 7.2 ",
		"| a round | tcp | 30 ms (20 to 40) | 20 ms | ≤ 35 ms | met | Flower 6200 ms |\n",
		"| a slow round | tcp | 40 ms | 40 ms | ≤ 35 ms | **missed** |  |\n",
		"| throughput, of what the stream gives |  | 0.8500 |  | ≥ 0.9000 | **missed** |  |\n",
		"| told for comparison |  | 12 MB |  |  |  |  |\n",
		"| allocations |  | 0 bytes |  | ≤ 0 bytes | met |  |\n",
	} {
		if !strings.Contains(p, want) {
			t.Errorf("the page has no line %q:\n%s", want, p)
		}
	}
}

// A ratio is of fleets that ran one after the other, so that a machine that becomes slower does not show in it.
func TestComparison(t *testing.T) {
	of := func(times ...time.Duration) (l lap) {
		for kind := range l {
			l[kind].times, l[kind].busy = times, times[:1]
			times = append(times[:0:0], times...)
			for i := range times {
				times[i] *= 2
			}
		}
		return l
	}
	plain := []lap{of(10e6, 10e6, 11e6), of(20e6, 20e6, 22e6), of(40e6, 40e6, 44e6)}
	masked := []lap{of(11e6, 11e6, 14e6), of(26e6, 26e6, 28e6), of(48e6, 48e6, 50e6)}
	rows := comparison("tcp", plain, masked)
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.Figure + ": " + r.middle() + " " + r.verdict() + "\n")
	}
	want := `a round, 10 clients, 1.66 M parameters: 20 ms (11 to 40)
a masked round, 10 clients, 1.66 M parameters: 26 ms (14 to 48)
a masked round in plain ones, 10 clients, 1.66 M parameters: 1.2000 (1.1000 to 1.3000) met
`
	if !strings.HasPrefix(strings.ReplaceAll(b.String(), " \n", "\n"), want) || len(rows) != 12 {
		t.Errorf("got %d rows, want 12:\n%s\nwant at first:\n%s", len(rows), &b, want)
	}
}

func TestNumber(t *testing.T) {
	for _, x := range []struct {
		x    float64
		unit string
		want string
	}{
		{0.0321, "ms", "0.032 ms"}, {3.14159, "ms", "3.14 ms"}, {31.4159, "ms", "31.4 ms"}, {3141.59, "ms", "3142 ms"},
		{2, "ms", "2 ms"}, {1.00456, "", "1.0046"}, {0, "ms", "0 ms"},
	} {
		if got := number(x.x, x.unit); got != x.want {
			t.Errorf("%v %s: got %q, want %q", x.x, x.unit, got, x.want)
		}
	}
}
