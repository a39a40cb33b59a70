package train

import (
	"math"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// near reports whether a score is near want, or is nil if want is NaN.
func near(got *float64, want float64) bool {
	if got == nil || math.IsNaN(want) {
		return got == nil && math.IsNaN(want)
	}
	return math.Abs(*got-want) < 1e-12
}

// The areas are those of scikit-learn's roc_auc_score.
func TestAUC(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		scores []float32
		labels []int64
		want   float64
	}{
		{[]float32{0.1, 0.4, 0.35, 0.8}, []int64{0, 0, 1, 1}, 0.75},
		{[]float32{1, 2, 3}, []int64{0, 1, 1}, 1},
		{[]float32{3, 2, 1}, []int64{0, 1, 1}, 0},
		{[]float32{1, 1, 1, 1}, []int64{0, 1, 0, 1}, 0.5},
		{[]float32{1, 2, 2, 3, 5}, []int64{0, 0, 1, 1, -1}, 0.875}, // a label that losses ignore
		{[]float32{1, 2}, []int64{1, 1}, none},
		{[]float32{1, float32(none)}, []int64{0, 1}, none},
	} {
		var two, one quality
		pairs, targets := make([]float32, 0, 2*len(c.scores)), []float32{}
		for i, s := range c.scores {
			pairs = append(pairs, 7, 7+s)
			if c.labels[i] >= 0 {
				targets = append(targets, float32(c.labels[i]))
			}
		}
		n, k := len(c.scores), len(targets)
		two.addClasses(tensor.Of(pairs, n, 2), tensor.Of(c.labels, n), n)
		one.addNumbers(tensor.Of(c.scores[:k], k, 1), tensor.Of(targets, k, 1), k, k)
		if a := two.auc(); !near(a, c.want) && (a == nil || !(math.Abs(*a-c.want) <= 1e-6)) {
			t.Errorf("%v of %v: got %v, want %v", c.scores, c.labels, a, c.want)
		}
		if !near(one.auc(), c.want) || c.want == c.want && one.r2() != nil {
			t.Errorf("%v of %v as numbers: got %v and R² %v, want %v", c.scores, c.labels, one.auc(), one.r2(), c.want)
		}
	}
	var three quality
	three.addClasses(tensor.Of(make([]float32, 6), 2, 3), tensor.Of([]int64{0, 1}, 2), 2)
	if three.auc() != nil {
		t.Error("three classes have an area")
	}
}

// The values are those of scikit-learn's r2_score, with uniform averages.
func TestR2(t *testing.T) {
	for _, c := range []struct {
		said, right []float32
		width       int
		want        float64
	}{
		{[]float32{2.5, 0, 2, 8}, []float32{3, -0.5, 2, 7}, 1, 1 - 1.5/29.1875},
		{[]float32{0, 2, -1, 2, 8, -5}, []float32{0.5, 1, -1, 1, 7, -6}, 2, (1 - 1.25/(217./6) + 1 - 3/(98./3.)) / 2},
		{[]float32{5, 5}, []float32{5, 5}, 1, 1},
		{[]float32{5, 6}, []float32{5, 5}, 1, 0},
		{[]float32{5}, []float32{4}, 1, math.NaN()},
		{[]float32{1e6 + 1, 1e6 + 2}, []float32{1e6 + 1, 1e6 + 2}, 1, 1},
	} {
		n := len(c.said) / c.width
		// The last batch is filled up with an example that was used before.
		var q quality
		said, right := append(c.said, c.said[:c.width]...), append(c.right, c.right[:c.width]...)
		q.addNumbers(tensor.Of(said, n+1, c.width), tensor.Of(right, n+1, c.width), n, n+1)
		if !near(q.r2(), c.want) {
			t.Errorf("%v for %v: got %v, want %v", c.said, c.right, q.r2(), c.want)
		}
	}
}
