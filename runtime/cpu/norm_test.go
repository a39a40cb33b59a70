package cpu

import (
	"math"
	"testing"
)

// about fails the test unless got is want to within 1e-5.
func about[T Float](t *testing.T, name string, got []T, want ...float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %v, want %v", name, got, want)
	}
	for i, w := range want {
		g := float64(got[i])
		if math.Abs(g-w) > 1e-5*max(1, math.Abs(w)) || math.IsNaN(g) != math.IsNaN(w) {
			t.Fatalf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestLayerNormRows(t *testing.T) {
	testLayerNorm[float32](t)
	testLayerNorm[float64](t)
}

func testLayerNorm[T Float](t *testing.T) {
	y, mean, inv := make([]T, 4), make([]T, 2), make([]T, 2)
	x := []T{1, 3, -2, 2}
	LayerNorm(y, mean, inv, x, nil, nil, 2, 0)
	about(t, "y", y, -1, 1, -1, 1)
	about(t, "mean", mean, 2, 0)
	about(t, "invStd", inv, 1, 0.5)
	LayerNorm(y, nil, nil, x, []T{2, 3}, []T{10, 20}, 2, 0)
	about(t, "scaled", y, 8, 23, 8, 23)
	LayerNorm(y[:2], nil, nil, []T{5, 5}, nil, nil, 2, 1e-5)
	about(t, "constant", y[:2], 0, 0)
	LayerNorm[T](nil, nil, nil, nil, nil, nil, 0, 0)
}

// The differences from the mean are computed in blocks.
func TestMomentsOfLongRows(t *testing.T) {
	x := make([]float32, 3*momentsBlock+7)
	for i := range x {
		x[i] = 1000 + float32(i%2)
	}
	y, inv := make([]float32, len(x)), make([]float32, 1)
	LayerNorm(y, nil, inv, x, nil, nil, len(x), 0)
	about(t, "invStd", inv, 2)
}

func TestRMSNorm(t *testing.T) {
	y := make([]float32, 4)
	RMSNorm(y, []float32{3, 4, 0, 0}, []float32{1, 2}, 2, 12.5)
	about(t, "y", y, 3/5., 8/5., 0, 0)
	wide := make([]float64, 2)
	RMSNorm(wide, []float32{3, 4}, nil, 2, 12.5)
	about(t, "float64", wide, 3/5., 4/5.)
}

func TestGroupNorm(t *testing.T) {
	x := []float32{1, 3, 1, 3, 0, 2, 0, 2} // 4 channels of 2
	y := make([]float32, len(x))
	GroupNorm(y, x, []float32{1, 2, 3, 4}, []float32{0, 0, 1, 1}, 2, 4, 2, 0)
	about(t, "scaled by channel", y, -1, 1, -2, 2, -2, 4, -3, 5)
	GroupNorm(y, x, []float32{1, 2}, []float32{0, 1}, 2, 4, 2, 0)
	about(t, "scaled by group", y, -1, 1, -1, 1, -1, 3, -1, 3)
	GroupNorm[float32](nil, nil, nil, nil, 1, 0, 2, 0)
}

func TestBatchNorm(t *testing.T) {
	a, b := make([]float32, 2), make([]float32, 2)
	BatchNorm(a, b, []float32{2, 3}, []float32{1, 0}, []float64{1, 2}, []float64{4, 9}, 0)
	about(t, "a", a, 1, 1)
	about(t, "b", b, 0, -2)

	x := []float32{1, 3, 4, 4, 3, 5, 0, 8} // 2 samples, 2 channels of 2
	y := make([]float32, len(x))
	Affine(y, x, []float32{1, 2}, []float32{0, 1}, 2)
	about(t, "inner 2", y, 1, 3, 9, 9, 3, 5, 1, 17)
	Affine(y, x, []float32{1, 2}, []float32{0, 1}, 1)
	about(t, "inner 1", y, 1, 7, 4, 9, 3, 11, 0, 17)

	m, v := make([]float32, 2), make([]float32, 2)
	BatchMoments(m, v, x, 2)
	about(t, "mean", m, 3, 4)
	about(t, "variance", v, 2, 8)
	Blend(m, m, v, 0.75)
	about(t, "blend", m, 2.75, 5)
}

func TestLpNorm(t *testing.T) {
	x := []float64{3, 0, -4, 0} // 2 vectors of 2, side by side
	y, norm := make([]float64, 4), make([]float64, 2)
	LpNorm(y, x, norm, 2, 2, 2)
	about(t, "L2", y, 0.6, 0, -0.8, 0)
	LpNorm(y, x, norm[:1], 4, 1, 1)
	about(t, "L1", y, 3/7., 0, -4/7., 0)
}
