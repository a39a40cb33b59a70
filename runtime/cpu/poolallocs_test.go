package cpu

import "testing"

// TestPoolingAllocatesNothing: pooling and its gradient do not allocate, as each training step calls them.
func TestPoolingAllocatesNothing(t *testing.T) {
	two := func(n int) []int { return []int{n, n} }
	win := Window{In: two(6), Out: two(3), Kernel: two(2), Stride: two(2), Dilation: two(1), Pad: two(0), PadEnd: two(0)}
	x, y, row, index := make([]float32, 2*36), make([]float32, 2*9), make([]float32, 3), make([]int64, 2*9)
	for name, f := range map[string]func(){
		"MaxPool":         func() { MaxPool(y, x, 2, win) },
		"MaxPoolIndices":  func() { MaxPoolIndices(y, index, x, 2, false, win) },
		"MaxPoolGrad":     func() { MaxPoolGrad(x, y, x, y, nil, 2, win) },
		"AveragePool":     func() { AveragePool(y, x, 2, true, win) },
		"AveragePoolGrad": func() { AveragePoolGrad(x, y, row, 2, true, false, win) },
		"LpPool":          func() { LpPool(y, x, 2, 2, win) },

		// Generated code writes the window where it calls the kernel, which must not keep it.
		"MaxPool of 3×3": func() {
			MaxPool(y, x, 2, Window{In: []int{6, 6}, Out: []int{3, 3}, Kernel: []int{3, 3}, Stride: []int{2, 2}, Dilation: []int{1, 1}, Pad: []int{1, 1}, PadEnd: []int{0, 0}})
		},
		"AveragePool of 3×3": func() {
			AveragePool(y, x, 2, true, Window{In: []int{6, 6}, Out: []int{3, 3}, Kernel: []int{3, 3}, Stride: []int{2, 2}, Dilation: []int{1, 1}, Pad: []int{1, 1}, PadEnd: []int{0, 0}})
		},
	} {
		if n := allocations(10, f); n > 0 && !raceEnabled {
			t.Errorf("%s makes %v allocations, want 0", name, n)
		}
	}
}
