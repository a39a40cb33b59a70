package points

import (
	"math"
	"slices"
	"testing"
)

// The points of a corner are around it: each of their elements has the mean (corner+k) mod 3 and the standard deviation 3/4.
func TestCorners(t *testing.T) {
	var n [Corners]float64
	var sum, squares [Corners][Size]float64
	for round := range int64(1000) {
		x, corners, err := Source{Seed: 1}.Batch(round)
		if err != nil || !slices.Equal(x.Shape, []int{Count, Size}) || !slices.Equal(corners.Shape, []int{Count}) {
			t.Fatal(x.Shape, corners.Shape, err)
		}
		for i, c := range corners.Data {
			n[c]++
			for k := range Size {
				v := float64(x.Data[i*Size+k])
				sum[c][k], squares[c][k] = sum[c][k]+v, squares[c][k]+v*v
			}
		}
	}
	for c := range n {
		for k := range Size {
			mean := sum[c][k] / n[c]
			deviation := math.Sqrt(squares[c][k]/n[c] - mean*mean)
			if math.Abs(mean-float64((c+k)%Corners)) > 0.05 || math.Abs(deviation-0.75) > 0.05 {
				t.Errorf("corner %d, element %d: %v±%v", c, k, mean, deviation)
			}
		}
	}
}

// A round has the same points again, and other rounds and seeds have others.
func TestBatchRepeats(t *testing.T) {
	batch := func(seed uint64, round int64) []float32 {
		x, _, _ := Source{Seed: seed}.Batch(round)
		return x.Data
	}
	if !slices.Equal(batch(1, 5), batch(1, 5)) {
		t.Error("a round differs from itself")
	}
	if slices.Equal(batch(1, 5), batch(1, 6)) || slices.Equal(batch(1, 5), batch(2, 5)) {
		t.Error("two rounds or seeds have the same points")
	}
}
