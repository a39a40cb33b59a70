package train

import (
	"math"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestNorm: the norm has the squares of all elements, whatever their number, and of numbers that float32 cannot square.
func TestNorm(t *testing.T) {
	for n := range 14 {
		x, y, want := make([]float32, n), make([]float64, n), 0.0
		for i := range x {
			x[i], y[i] = float32(i+1)*1e30, float64(i+1)*1e30
			want += float64(i+1) * float64(i+1)
		}
		want = math.Sqrt(want) * 1e30
		for _, got := range []float64{norm(tensor.Of(x, n)), norm(tensor.Of(y, n))} {
			if math.Abs(got-want) > 1e-6*want {
				t.Errorf("%d elements: the norm is %g, want %g", n, got, want)
			}
		}
	}
	if got := norm(tensor.Of([]int64{3, 4}, 2)); got != 0 {
		t.Errorf("the norm of integers is %g, want 0", got)
	}
}
