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
		"| a round | tcp | 30 ms | 20 ms | ≤ 35 ms | met | Flower 6200 ms |\n",
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
