package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestDraws: examples are drawn as often as their weights say, one of weight 0 never; an epoch is always the same.
func TestDraws(t *testing.T) {
	weights := []float32{1, 0, 3, 0.5, 0, 5.5, 0}
	d, err := NewDraws(weights)
	if err != nil {
		t.Fatal(err)
	}
	counts, n := make([]float64, len(weights)), 0
	for epoch := range 4000 {
		for _, i := range d.Order(7, epoch) {
			counts[i]++
			n++
		}
	}
	for i, w := range weights {
		part, want := counts[i]/float64(n), float64(w)/10
		if w == 0 && counts[i] > 0 || !(math.Abs(part-want) <= 5*math.Sqrt(want*(1-want)/float64(n))) {
			t.Errorf("example %d of weight %g is %.4f of all, want %.4f", i, w, part, want)
		}
	}
	if first, again := d.Order(7, 3), d.Order(7, 3); !slices.Equal(first, again) {
		t.Errorf("the same epoch is %v and %v", first, again)
	}
	if a, b := d.Order(7, 3), d.Order(8, 3); slices.Equal(a, b) {
		t.Errorf("two seeds give %v", a)
	}
	inf := float32(math.Inf(1))
	for what, bad := range map[string][]float32{
		"example 1 is -1": {1, -1}, "example 0 is NaN": {inf - inf}, "example 2 is +Inf": {0, 0, inf}, "all examples are 0": {0, 0}, "above 0": nil,
	} {
		if _, err := NewDraws(bad); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v: %v, want what says %q", bad, err, what)
		}
	}
}

// plain is a source that cannot tell its labels without the features.
type plain struct{ DataSource }

// TestBalancedWeights: the classes of the examples weigh the same together, whatever the source and its part.
func TestBalancedWeights(t *testing.T) {
	x := tensor.New(tensor.Float32, 1000, 2)
	labels := make([]int64, 1000)
	for i := range labels {
		labels[i] = int64(min(i%10, 2)) // 1, 1 and 8 of ten
	}
	all, err := NewMemory(x, tensor.Of(labels, len(labels)), tensor.Float32, tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	values, err := NewMemory(x, tensor.Of(labels, len(labels)), tensor.Float32, tensor.Float32)
	if err != nil {
		t.Fatal(err)
	}
	train, val := Split(all, 0.3, 1)
	fold, _ := Fold(all, 1, 3, 1)
	for name, s := range map[string]DataSource{"all": all, "values": values, "train": train, "val": val, "fold": fold, "without labels": plain{train}} {
		weights, err := BalancedWeights(s)
		if err != nil || len(weights) != s.Len() {
			t.Fatalf("%s: %d weights of %d examples, %v", name, len(weights), s.Len(), err)
		}
		var sums [3]float64
		for i, w := range weights {
			y := s.Labels().Tensor(1)
			if err := s.Batch([]int{i}, s.Features().Tensor(1), y); err != nil {
				t.Fatal(err)
			}
			sums[int(appendNumbers(nil, y)[0])] += float64(w)
		}
		for class, sum := range sums {
			if !(math.Abs(sum-1) <= 1e-3) {
				t.Errorf("%s: class %d weighs %v, want 1", name, class, sum)
			}
		}
	}
	vectors, err := NewMemory(x, tensor.New(tensor.Float32, 1000, 3), tensor.Float32, tensor.Float32)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := BalancedWeights(vectors); err == nil || !strings.Contains(err.Error(), "want one class for each example") {
		t.Errorf("labels of three numbers: %v", err)
	}
}

// TestTakeWeights: weights are an array beside the others; examples for validation need none, and the model does not read
// them.
func TestTakeWeights(t *testing.T) {
	x, y := tensor.New(tensor.Float32, 3, 2), tensor.Of([]int64{0, 1, 2}, 3)
	arrays := map[string]*tensor.Tensor{
		"x_train": x, "y_train": y, "weight_train": tensor.Of([]float64{1, 0.5, 4}, 3), "mask_train": tensor.Of([]float32{5, 6, 7}, 3),
		"x_test": x, "y_test": y, "mask_test": tensor.Of([]float32{8, 9, 10}, 3),
	}
	more := []Column{{Name: "mask", As: tensor.Float32}, {Name: "weight", As: tensor.Float32, Weights: true}}
	set, err := Open(files("a.npz", archive(t, arrays)), "a.npz", Options{X: tensor.Float32, Y: tensor.Int64, More: more})
	if err != nil {
		t.Fatal(err)
	}
	weights, rest, err := TakeWeights(set.Train)
	if err != nil || !slices.Equal(weights, []float32{1, 0.5, 4}) {
		t.Fatalf("the weights are %v, %v", weights, err)
	}
	for name, s := range map[string]DataSource{"training": rest, "validation": set.Val} {
		mask := tensor.New(tensor.Float32, 1)
		if err := BatchMore(s, []int{1}, []*tensor.Tensor{mask}); err != nil || len(More(s)) != 1 {
			t.Errorf("%s: %d columns, %v", name, len(More(s)), err)
		}
		if v := tensor.Data[float32](mask)[0]; v != 6 && v != 9 {
			t.Errorf("%s: the mask is %v", name, v)
		}
	}
	if first, _, ok := LabelRange(rest, nil); !ok || first != 0 {
		t.Errorf("labels begin with %d, %v", first, ok)
	}
	if _, _, err := TakeWeights(set.Val); err != nil {
		t.Errorf("the last column is one number: %v", err)
	}
	delete(arrays, "weight_train")
	_, err = Open(files("a.npz", archive(t, arrays)), "a.npz", Options{X: tensor.Float32, Y: tensor.Int64, More: more})
	if want := "a.npz: there is no array weight_train beside x_train, with a weight for each example"; err == nil || err.Error() != want {
		t.Errorf("without weights: %v, want %s", err, want)
	}
	plain, err := NewMemory(x, y, tensor.Float32, tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := TakeWeights(plain); err == nil {
		t.Error("weights of a source without any")
	}
}
