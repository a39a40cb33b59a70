package cpu

import (
	"math"
	"slices"
	"testing"
)

func TestFeatures(t *testing.T) {
	nan := math.NaN()
	f := make([]float32, 4)
	for _, c := range []struct {
		name string
		f    func()
		want []float32
	}{
		{"Binarize", func() { Binarize(f, []float32{1, 2, 3, -1}, 1.5) }, []float32{0, 1, 1, 0}},
		{"Scale", func() { Scale(f, []int64{1, 2, 3, 4}, []float32{1}, []float32{2, 3}, 2) }, []float32{0, 3, 4, 9}},
		{"NormalizeRows L1", func() { NormalizeRows(f, []float64{1, -3, 0, 0}, "L1", 2) }, []float32{.25, -.75, 0, 0}},
		{"NormalizeRows L2", func() { NormalizeRows(f, []float64{3, -4, 0, 1}, "L2", 2) }, []float32{.6, -.8, 0, 1}},
		{"NormalizeRows MAX", func() { NormalizeRows(f, []float64{2, -4, 1, 0}, "MAX", 2) }, []float32{.5, -1, 1, 0}},
		{"Impute", func() {
			Impute(f, []float32{1, float32(nan), float32(nan), 4}, []float32{8, 9}, []float32{float32(nan)}, 2)
		}, []float32{1, 9, 8, 4}},
		{"FeatureColumns", func() { FeatureColumns(f, []int32{1, 2}, 1, 2, 0, 2) }, []float32{1, 0, 2, 0}},
		{"OneHotCategories", func() { OneHotCategories(f, []float32{2.5, 7}, []int64{1, 2}, true) }, []float32{0, 1, 0, 0}},
		{"OneHotStrings", func() { OneHotStrings(f, []string{"b", "a"}, []string{"a", "b"}, false) }, []float32{0, 1, 1, 0}},
		{"TakeColumns", func() { TakeColumns(f, []float32{1, 2, 3, 4, 5, 6}, []int64{2, 0}, 3) }, []float32{3, 1, 6, 4}},
		{"LabelEncode", func() {
			LabelEncode(f, []float64{nan, 1, 2, 3}, []float64{nan, 1, 3}, []float32{5, 6, 7}, []float32{-1})
		}, []float32{5, 6, -1, 7}},
	} {
		if c.f(); !slices.Equal(f, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, f, c.want)
		}
	}
	if got := complaint(func() { TakeColumns(f, f, []int64{2, 0}, 2) }); got != "ArrayFeatureExtractor: index 2 is out of range for 2 columns" {
		t.Errorf("got %q", got)
	}
	if got := complaint(func() { OneHotStrings(f, []string{"c"}, []string{"a"}, false) }); got != `OneHotEncoder: "c" is none of the categories` {
		t.Errorf("got %q", got)
	}
}

// TestPostTransform checks each transformation of scores.
func TestPostTransform(t *testing.T) {
	for _, c := range []struct {
		kind string
		want []float64
	}{
		{"NONE", []float64{0, .25}},
		{"LOGISTIC", []float64{.5, .5621765}},
		{"SOFTMAX", []float64{.4378235, .5621765}},
		{"SOFTMAX_ZERO", []float64{0, 1}},
		{"PROBIT", []float64{0, -.6740}},
	} {
		y := []float32{0, .25}
		PostTransform(y, c.kind, 2)
		for i, v := range y {
			if !(math.Abs(float64(v)-c.want[i]) <= 1e-3) {
				t.Errorf("%s: got %v, want %v", c.kind, y, c.want)
			}
		}
	}
}

func TestLabels(t *testing.T) {
	got := make([]string, 2)
	TopLabel(got, []float32{1, 2, 2, 3, 0, 1}, []string{"a", "b", "c"}, 3)
	if want := []string{"b", "a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	ThresholdLabel(got, []float32{.5, .6}, []string{"no", "yes"}, .5)
	if want := []string{"no", "yes"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Two trees: x0 ≤ 0 ? (target 0: 1) : x1 > 2 ? (target 1: 10) : (target 0: 2), and a leaf that adds 4 to
// target 1.
func TestTreeScores(t *testing.T) {
	trees := Trees{
		Roots: []int32{0, -4}, Feature: []int32{0, 1},
		Mode: []uint8{BranchLessOrEqual, BranchGreater}, Missing: []uint8{0, 1},
		Yes: []int32{-1, -2}, No: []int32{1, -3},
		First: []int32{0, 1, 2, 3, 4}, Target: []int32{0, 1, 0, 1}, Weight: []float64{1, 10, 2, 4},
		Aggregate: "SUM", Columns: 2, Scores: 2, Features: 2,
	}
	nan := float32(math.NaN())
	x := []float32{0, 0, 1, 3, 1, 2, nan, nan}
	for agg, want := range map[string][]float64{
		"SUM":     {1, 4, 0, 14, 2, 4, 0, 14},
		"AVERAGE": {.5, 2, 0, 7, 1, 2, 0, 7},
		"MIN":     {1, 4, 0, 4, 2, 4, 0, 4},
		"MAX":     {1, 4, 0, 10, 2, 4, 0, 10},
	} {
		trees.Aggregate = agg
		got := make([]float64, 8)
		TreeScores(got, make([]float64, 2), x, []float32{0, 2}, trees)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", agg, got, want)
		}
	}
	trees.Columns = 1
	if got := complaint(func() { TreeScores(make([]float32, 2), make([]float64, 2), x, []float64{0, 2}, trees) }); got != "TreeEnsemble: input has 1 features, want at least 2" {
		t.Errorf("got %q", got)
	}
}

func TestSVM(t *testing.T) {
	p := SVM{Kernel: "LINEAR", Coefficients: []float32{1, -1}, Rho: []float32{.5}, Columns: 2}
	got := make([]float32, 1)
	if SVMRegress(got, []int64{3, 1}, p); got[0] != 2.5 {
		t.Errorf("linear: got %v, want 2.5", got[0])
	}
	p.Vectors, p.Kernel, p.Gamma, p.VectorCount, p.OneClass = []float32{1, 0, 0, 1}, "RBF", 1, 2, true
	if SVMRegress(got, []float32{0, 1}, p); got[0] != -1 {
		t.Errorf("one class: got %v, want -1", got[0])
	}
	p.PerClass, p.Scores, p.ProbA, p.ProbB = []int64{1, 1}, 1, []float32{-1}, []float32{0}
	votes, probs := make([]float32, 2), make([]float32, 2)
	SVMScores(got, votes, make([]float64, 2), []float32{0, 1}, p)
	if want := math.Exp(-2) - 1 + .5; !(math.Abs(float64(got[0])-want) <= 1e-6) || votes[1] != 1 {
		t.Errorf("got %v %v, want %v", got, votes, want)
	}
	SVMProbabilities(probs, got, make([]float64, 4), make([]float64, 4), make([]float64, 4), p)
	if want := 1 / (1 + math.Exp(-float64(got[0]))); !(math.Abs(float64(probs[0])-want) <= 1e-2) || !(math.Abs(float64(probs[0]+probs[1])-1) <= 1e-6) {
		t.Errorf("got %v, want %v", probs, want)
	}
}
