package cpu

import (
	"math"
	"testing"
)

// TestDet checks determinants of small matrices.
func TestDet(t *testing.T) {
	a := []float64{0, 2, 0, 3, 0, 0, 0, 0, 4}
	got := make([]float64, 1)
	Det(got, a, make([]float64, 9), 3)
	agree(t, "Det", got, []float64{-24}, 1e-15)
	Det(got, []float64{1, 2, 2, 4}, make([]float64, 4), 2)
	agree(t, "Det of a singular matrix", got, []float64{0}, 0)
	Det(got, nil, nil, 0)
	agree(t, "Det of no matrix", got, []float64{1}, 0)
}

// TestTrilu checks both triangles for several diagonals.
func TestTrilu(t *testing.T) {
	x := []int{1, 2, 3, 4, 5, 6} // [2, 3]
	for _, c := range []struct {
		k     []int64
		upper bool
		want  [6]int
	}{
		{nil, true, [6]int{1, 2, 3, 0, 5, 6}},
		{nil, false, [6]int{1, 0, 0, 4, 5, 0}},
		{[]int64{1}, true, [6]int{0, 2, 3, 0, 0, 6}},
		{[]int64{-1}, false, [6]int{0, 0, 0, 4, 0, 0}},
		{[]int64{math.MaxInt64}, true, [6]int{}},
		{[]int64{math.MinInt64}, true, [6]int{1, 2, 3, 4, 5, 6}},
	} {
		var got [6]int
		Trilu(got[:], x, c.k, 2, 3, c.upper)
		if got != c.want {
			t.Errorf("k %d, upper %v: got %d, want %d", c.k, c.upper, got, c.want)
		}
	}
	var eye [6]int8
	EyeLike(eye[:], 3, -1)
	if eye != [6]int8{0, 0, 0, 1, 0, 0} {
		t.Errorf("EyeLike gives %d", eye)
	}
}
