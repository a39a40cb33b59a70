package cpu

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestBox checks that a box reuses its memory, and that a copy of it is independent.
func TestBox(t *testing.T) {
	var x, y tensor.Tensor
	Box(&x, []float32{9, 9, 9, 9}, []int{2, 2})
	Box(&x, []float32{1, 2, 3}, []int{3, 1}) // in the same memory
	CopyBox(&y, &x)
	x.Data.([]float32)[0] = 7
	if want := tensor.Of([]float32{1, 2, 3}, 3, 1); !tensor.Equal(&y, want) {
		t.Errorf("got %v %v, want %v %v", &y, y.Data, want, want.Data)
	}
}
