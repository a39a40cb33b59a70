package cpu

import (
	"math"
	"slices"
	"testing"
)

func TestMaxPool(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	for _, c := range []struct {
		name  string
		x     []float64
		win   Window
		want  []float64
		index []int64
	}{
		{"row", []float64{1, 3, 2, 5}, window([]int{4}, []int{2}, []int{1}, []int{1}, []int{0}, []int{0}), []float64{3, 3, 5}, []int64{1, 1, 3}},
		{"first of equals", []float64{7, 7, 7}, window([]int{3}, []int{2}, []int{1}, []int{1}, []int{0}, []int{0}), []float64{7, 7}, []int64{0, 1}},
		{"nan stays", []float64{1, nan, 2, 3}, window([]int{4}, []int{2}, []int{1}, []int{1}, []int{0}, []int{0}), []float64{nan, nan, 3}, []int64{1, 1, 3}},
		{"-inf counts", []float64{inf, inf}, window([]int{2}, []int{2}, []int{1}, []int{1}, []int{0}, []int{0}), []float64{inf}, []int64{0}},
		{"square", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, window([]int{3, 3}, []int{2, 2}, []int{2, 2}, []int{1, 1}, []int{0, 0}, []int{1, 1}), []float64{5, 6, 8, 9}, []int64{4, 5, 7, 8}},
		{"dilated", []float64{9, 1, 2, 3, 4, 5, 6, 7, 8}, window([]int{3, 3}, []int{2, 2}, []int{1, 1}, []int{2, 2}, []int{0, 0}, []int{0, 0}), []float64{9}, []int64{0}},
	} {
		got, index := make([]float64, len(c.want)), make([]int64, len(c.want))
		MaxPool(got, c.x, 1, c.win)
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		clear(got)
		MaxPoolIndices(got, index, c.x, 1, false, c.win)
		if !slices.EqualFunc(got, c.want, same) || !slices.Equal(index, c.index) {
			t.Errorf("%s: got %v at %v, want %v at %v", c.name, got, index, c.want, c.index)
		}
	}
}

func TestMaxPoolIndicesInColumns(t *testing.T) {
	x := []int8{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0} // 2×3, twice
	win := window([]int{2, 3}, []int{2, 3}, []int{1, 1}, []int{1, 1}, []int{0, 0}, []int{0, 0})
	got, index := make([]int8, 2), make([]int64, 2)
	MaxPoolIndices(got, index, x, 2, true, win)
	if want := []int64{5, 6}; !slices.Equal(index, want) {
		t.Errorf("got %v, want %v", index, want)
	}
	x[5], x[2] = 0, 1 // row 0, column 2
	MaxPoolIndices(got, index, x, 2, true, win)
	if want := []int64{4, 6}; !slices.Equal(index, want) {
		t.Errorf("got %v, want %v", index, want)
	}
}

func same(a, b float64) bool { return a == b || a != a && b != b }

func TestLowest(t *testing.T) {
	if v := lowest[int8](); v != math.MinInt8 {
		t.Errorf("int8: %d", v)
	}
	if v := lowest[int64](); v != math.MinInt64 {
		t.Errorf("int64: %d", v)
	}
	if v := lowest[uint8](); v != 0 {
		t.Errorf("uint8: %d", v)
	}
	if v := lowest[float32](); !math.IsInf(float64(v), -1) {
		t.Errorf("float32: %v", v)
	}
}
