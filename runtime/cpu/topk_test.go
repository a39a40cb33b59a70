package cpu

import (
	"math"
	"testing"
)

// TestTopK checks the largest and the smallest elements, and their order.
func TestTopK(t *testing.T) {
	x := []int32{3, 1, 3, 2, 0}
	values, at := make([]int32, 3), make([]int64, 3)
	TopK(values, at, x, 1, 5, 3, 1, true)
	equal(t, "largest", values, 3, 3, 2)
	equal(t, "where", at, 0, 2, 3)
	TopK(values, at, x, 1, 5, 3, 1, false)
	equal(t, "smallest", values, 0, 1, 2)

	columns, rows := make([]int32, 4), make([]int64, 4)
	TopK(columns, rows, []int32{1, 6, 5, 2, 3, 4}, 1, 3, 2, 2, true)
	equal(t, "columns", columns, 5, 6, 3, 4)
	equal(t, "rows", rows, 1, 0, 2, 2)

	f := make([]float64, 2)
	TopK(f, at[:2], []float64{1, math.NaN(), 2}, 1, 3, 2, 1, true)
	if f[0] == f[0] || f[1] != 2 {
		t.Errorf("got %v, want NaN and 2", f)
	}
	if failure(func() { TopKSize([]int{4}, 3) }) == nil {
		t.Error("4 of 3 is no error")
	}
}

// TestUnique checks the unique elements in both orders.
func TestUnique(t *testing.T) {
	x := []string{"b", "a", "b", "c"}
	order, work := make([]int64, 4), make([]int64, 8)
	for _, sorted := range []bool{true, false} {
		n := UniqueCount(order, x, 1, 4, 1)
		y, first, inverse, counts := make([]string, n), make([]int64, n), make([]int64, 4), make([]int64, n)
		Unique(y, first, inverse, counts, x, order, work, UniqueShape{Outer: 1, N: 4, Inner: 1, Sorted: sorted})
		if sorted {
			equal(t, "sorted", y, "a", "b", "c")
			equal(t, "first", first, 1, 0, 3)
			equal(t, "inverse", inverse, 1, 0, 1, 2)
			equal(t, "counts", counts, 1, 2, 1)
			continue
		}
		equal(t, "as they come", y, "b", "a", "c")
		equal(t, "inverse", inverse, 0, 1, 0, 2)
		Unique(nil, nil, inverse, nil, x, order, work, UniqueShape{Outer: 1, N: 4, Inner: 1, Sorted: true})
		equal(t, "inverse alone", inverse, 1, 0, 1, 2)
	}
	if n := UniqueCount(order, []float64{math.NaN(), 1, math.NaN(), 1}, 1, 4, 1); n != 2 || order[0] != 1 {
		t.Errorf("got %d, order %v, want 1 and NaN", n, order)
	}
	if n := UniqueCount(order[:2], []int32{1, 1, 2, 2}, 2, 2, 1); n != 1 {
		t.Errorf("got %d columns, want 1", n)
	}
	if n := UniqueCount(nil, []int32{}, 1, 0, 1); n != 0 {
		t.Errorf("got %d of none", n)
	}
}
