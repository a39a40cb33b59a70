package cpu

import (
	"math"
	"slices"
	"testing"
)

// TestPhilox compares a block with the one that the authors of Philox published.
func TestPhilox(t *testing.T) {
	a, b := philox(0, 0)
	if a != 0x6627e8d5e169c58d || b != 0xbc57ac4c9b00dbd8 {
		t.Errorf("got %#x, %#x", a, b)
	}
}

// TestRandomUniform checks the range and the mean, and that equal seeds give equal numbers.
func TestRandomUniform(t *testing.T) {
	x, y := make([]float32, 100001), make([]float32, 100001)
	RandomUniform(x, -1, 3, 7)
	RandomUniform(y, -1, 3, 7)
	if !slices.Equal(x, y) {
		t.Error("the same seed gives other numbers")
	}
	RandomUniform(y[:7], -1, 3, 7)
	if !slices.Equal(x, y) {
		t.Error("numbers depend on how many are drawn")
	}
	RandomUniform(y, -1, 3, 8)
	if slices.Equal(x, y) {
		t.Error("another seed gives the same numbers")
	}
	if slices.Min(x) < -1 || slices.Max(x) > 3 {
		t.Errorf("from %v to %v, want -1 to 3", slices.Min(x), slices.Max(x))
	}
	if mean := VecSum32(x) / float32(len(x)); !(math.Abs(float64(mean)-1) <= 0.02) {
		t.Errorf("mean is %v, want 1", mean)
	}
}

// TestRandomNormal checks the mean and the variance.
func TestRandomNormal(t *testing.T) {
	x := make([]float64, 100001)
	RandomNormal(x, 5, 2, 7)
	mean, variance := make([]float64, 1), make([]float64, 1)
	ReduceMean(mean, x, []int{len(x)}, []int{1})
	Sub(x, x, mean)
	ReduceSumSquare(variance, x, []int{len(x)}, []int{1})
	if variance[0] /= float64(len(x)); !(math.Abs(mean[0]-5) <= 0.05) || !(math.Abs(variance[0]-4) <= 0.1) {
		t.Errorf("mean %v, variance %v, want 5 and 4", mean[0], variance[0])
	}
}

// TestMultinomial checks how often each class is drawn.
func TestMultinomial(t *testing.T) {
	x := []float64{-inf, 0, math.Log(3), 5, -inf, -inf} // [2, 3]
	got, sums := make([]int32, 2*10000), make([]float64, 3)
	Multinomial(got, x, sums, 2, 3, 7)
	var counts [2][3]int
	for i, v := range got {
		counts[i/10000][v]++
	}
	if counts[0][0] != 0 || counts[1] != [3]int{10000} || !(math.Abs(float64(counts[0][2])-7500) <= 200) {
		t.Errorf("got %d, want 0 2500 7500, and 10000 of the first", counts)
	}
	if err := failure(func() { Multinomial(got, x[:0], nil, 2, 0, 7) }); err == nil {
		t.Error("drawing from nothing does not fail")
	}
}

// TestDropout checks how many elements are kept, and their scale.
func TestDropout(t *testing.T) {
	x, y, mask := make([]float64, 10000), make([]float64, 10000), make([]bool, 10000)
	fill(x, 1)
	Dropout(y, mask, x, []float64{0.25}, []bool{true}, 7)
	kept := 0
	for i, v := range y {
		if mask[i] != (v != 0) || v != 0 && v != 1/0.75 {
			t.Fatalf("element %d is %v, kept %v", i, v, mask[i])
		}
		if mask[i] {
			kept++
		}
	}
	if kept < 7300 || kept > 7700 {
		t.Errorf("keeps %d of 10000, want 7500", kept)
	}
	Dropout(y, nil, x, []float64{0.25}, []bool{false}, 7)
	if !slices.Equal(x, y) {
		t.Error("drops without training")
	}
}

// TestBernoulli checks the certain probabilities, 0 and 1.
func TestBernoulli(t *testing.T) {
	got := make([]uint8, 4)
	Bernoulli(got, []float32{0, 1, 0, 1}, 7)
	if !slices.Equal(got, []uint8{0, 1, 0, 1}) {
		t.Errorf("got %d", got)
	}
}
