package main

import (
	"reflect"
	"testing"
)

func TestBenchmarks(t *testing.T) {
	got := benchmarks(`goos: linux
cpu: some
BenchmarkDeliver-2   	     100	       350.1 cpu-ns/fill	   2856000 fills/cpu-s	       0 B/op	       0 allocs/op
BenchmarkDeliver-2   	     100	       360.5 cpu-ns/fill	   2770000 fills/cpu-s	       3 B/op	       0 allocs/op
BenchmarkBlock   	     100	        80.0 cpu-ns/block
PASS
`)
	want := map[string]map[string][]float64{
		"Deliver": {"cpu-ns/fill": {350.1, 360.5}, "fills/cpu-s": {2856000, 2770000}, "B/op": {0, 3}, "allocs/op": {0, 0}},
		"Block":   {"cpu-ns/block": {80}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}
