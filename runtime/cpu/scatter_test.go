package cpu

import "testing"

// TestGather checks indices along several axes, including negative ones.
func TestGather(t *testing.T) {
	dst := make([]int32, 4)
	Gather(dst, counted(6), []int64{-1, 0}, 2, 3, 1)
	equal(t, "last axis", dst, 2, 0, 5, 3)
	Gather(dst, counted(6), []int32{2, 1}, 1, 3, 2)
	equal(t, "rows", dst, 4, 5, 2, 3)
	GatherElements(dst, counted(6), []int64{2, -3, 1, 1}, []int{2, 2}, []int{2, 3}, 1)
	equal(t, "elements", dst, 2, 0, 4, 4)
	GatherND(dst, counted(8), []int64{0, -1, 1, 0}, 1, 2, 2, []int{2, 2, 2})
	equal(t, "slices", dst, 2, 3, 4, 5)
	for _, i := range []int64{3, -4, 1 << 40} {
		if err := failure(func() { Gather(dst, counted(3), []int64{i}, 1, 3, 1) }); err == nil {
			t.Errorf("index %d of 3 is no error", i)
		}
	}
}

// TestScatter checks where elements are written, and how they are combined.
func TestScatter(t *testing.T) {
	dst := make([]int32, 6)
	ScatterElements(dst, []int32{1, 2}, []int64{-1, 0}, []int{2, 1}, []int{2, 3}, 1)
	equal(t, "elements", dst, 0, 0, 1, 2, 0, 0)
	ScatterElementsReduce(dst, []int32{5, 6}, []int64{0, 0}, []int{2, 1}, []int{2, 3}, 0, ReduceAdd)
	equal(t, "added", dst, 11, 0, 1, 2, 0, 0)
	ScatterND(dst, []int32{7, 8, 9}, []int64{-1}, 1, 1, []int{2, 3})
	equal(t, "slice", dst, 11, 0, 1, 7, 8, 9)
	ScatterNDReduce(dst, []int32{2, 3}, []int64{0, 0, 0, 0}, 2, 2, []int{2, 3}, ReduceMul)
	equal(t, "multiplied", dst, 66, 0, 1, 7, 8, 9)
	if failure(func() { ScatterND(dst, []int32{1}, []int64{0, 3}, 1, 2, []int{2, 3}) }) == nil {
		t.Error("index 3 of 3 is no error")
	}
}

// TestTensorScatter checks writes into a cache, linear and circular.
func TestTensorScatter(t *testing.T) {
	dst := make([]int32, 8)
	TensorScatter(dst, []int32{1, 2, 3, 4}, []int64{3, 1}, TensorScatterShape{Batches: 2, Blocks: 1, Rows: 4, N: 2, Inner: 1}, true)
	equal(t, "circular", dst, 2, 0, 0, 1, 0, 3, 4, 0)
	if failure(func() {
		TensorScatter(dst, []int32{1, 2, 3, 4}, []int64{3, 1}, TensorScatterShape{Batches: 2, Blocks: 1, Rows: 4, N: 2, Inner: 1}, false)
	}) == nil {
		t.Error("a row too many is no error")
	}
}
