package cpu

import (
	"math"
	"testing"
)

// TestSlice checks starts, ends and steps, including negative ones.
func TestSlice(t *testing.T) {
	for _, c := range []struct {
		start, end, step int
		want             []int32
	}{
		{0, 5, 1, []int32{0, 1, 2, 3, 4}},
		{1, -1, 1, []int32{1, 2, 3}},
		{-2, math.MaxInt, 1, []int32{3, 4}},
		{-9, 9, 2, []int32{0, 2, 4}},
		{3, 3, 2, []int32{}},
		{4, 1, 3, []int32{}},
		{9, math.MinInt, -2, []int32{4, 2, 0}},
		{3, 0, -1, []int32{3, 2, 1}},
		{-9, -9, -1, []int32{0}}, // a start before the first is the first
		{0, 5, math.MaxInt, []int32{0}},
		{4, -9, math.MinInt, []int32{4}},
	} {
		starts, ends, axes, steps := []int{c.start}, []int{c.end}, []int{-1}, []int{c.step}
		n := SliceSize(starts, ends, axes, steps, 1, 0, 5)
		dst := make([]int32, n)
		Slice(dst, counted(5), []int{5}, []int{n}, []int{SliceStart(starts, axes, steps, 1, 0, 5)}, []int{SliceStep(axes, steps, 1, 0)})
		equal(t, "slice", dst, c.want...)
	}
	dst := make([]int32, 4)
	Slice(dst, counted(12), []int{3, 4}, []int{2, 2}, []int{2, 1}, []int{-2, 2})
	equal(t, "two axes", dst, 9, 11, 1, 3)
	if failure(func() { SliceStart([]int{0}, []int{2}, []int{1}, 2, 0, 5) }) == nil {
		t.Error("axis 2 of 2 is no error")
	}
	if failure(func() { SliceStart([]int{0}, []int{0}, []int{0}, 2, 0, 5) }) == nil {
		t.Error("step 0 is no error")
	}
}

// TestExpandTile checks Expand and Tile of small tensors.
func TestExpandTile(t *testing.T) {
	dst := make([]int32, 12)
	Expand(dst, counted(3), []int{2, 3, 2}, []int{3, 1})
	equal(t, "expand", dst, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2)
	Tile(dst, counted(4), []int{2, 2}, []int{1, 3})
	equal(t, "tile", dst, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3)
	Tile([]int32{}, counted(4), []int{2, 2}, []int{0, 3})
	if failure(func() { ExpandSize([]int{3}, 2) }) == nil || failure(func() { ExpandSize([]int{-1}, 1) }) == nil {
		t.Error("a wrong shape is no error")
	}
	if n := ExpandSize([]int{1}, 0); n != 0 {
		t.Errorf("no element expands to %d", n)
	}
}

// TestSqueezeSize checks sizes after axes are removed and inserted.
func TestSqueezeSize(t *testing.T) {
	if n := SqueezeSize([]int{1, 2, 1, 3}, []int{-2, 0}, 1); n != 3 {
		t.Errorf("got %d, want 3", n)
	}
	for i, want := range []int{1, 2, 1, 3} {
		if n := UnsqueezeSize([]int{2, 3}, []int{-2, 0}, i); n != want {
			t.Errorf("axis %d: got %d, want %d", i, n, want)
		}
	}
	for name, f := range map[string]func(){
		"not one":      func() { SqueezeSize([]int{2, 3}, []int{0}, 0) },
		"out of range": func() { SqueezeSize([]int{1}, []int{1}, 0) },
		"twice":        func() { UnsqueezeSize([]int{2}, []int{0, 0}, 2) },
	} {
		if failure(f) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
