package geomedian

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
)

// A negative number of steps is refused before the program begins.
func TestRefused(t *testing.T) {
	if err := (&Aggregator{Steps: -1}).Open(runtime.Env{}); err == nil || err.Error() != "geomedian.Aggregator: Steps is -1, want 0 or more" {
		t.Errorf("%v, want that Steps is refused", err)
	}
	if err := new(Aggregator).Open(runtime.Env{}); err != nil {
		t.Error(err)
	}
}

// If most contributions are one point, that point is the median: no distance is divided by zero.
func TestOnePoint(t *testing.T) {
	for _, x := range [][][]float32{
		{{1, 2}},
		{{1, 2}, {1, 2}, {1e30, -1e30}},
		{{1, 2}, {1, 2}},
	} {
		dst := make([]float32, 2)
		if err := new(Aggregator).rule(dst, x, nil); err != nil || !slices.Equal(dst, []float32{1, 2}) {
			t.Errorf("%v: %v (%v), want 1 and 2", x, dst, err)
		}
	}
}
