package delta

import (
	"math"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestFirstNotFinite: a model that is not finite is no version, also if there is none to compare it with. Otherwise each later
// difference would not be finite, and no receiver would take the version.
func TestFirstNotFinite(t *testing.T) {
	nan := float32(math.NaN())
	var v Versions
	for _, shape := range [][]int{{2}, {1, 2}} {
		before := v.number
		if n, err := v.Put(tensor.DenseOf([]float32{1, nan}, shape...)); err == nil || v.number != before {
			t.Errorf("%v: NaN is in version %d", shape, n)
		}
		if _, err := v.Put(tensor.DenseOf([]float32{1, 2}, shape...)); err != nil {
			t.Error(err)
		}
	}
}
