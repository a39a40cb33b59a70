package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestFollowBoth: what changes the examples for training changes those for validation, too, and leaves further columns alone.
func TestFollowBoth(t *testing.T) {
	x, y, w := tensor.Of([]int64{1, 2, 3, 4}, 2, 2), tensor.Of([]int64{0, 1}, 2), tensor.Of([]float32{5, 6}, 2)
	fsys := files("x.npy", npy(t, x), "y.npy", npy(t, y), "w.npy", npy(t, w), "x_val.npy", npy(t, x), "y_val.npy", npy(t, y), "val_w.npy", npy(t, w), "w_val.npy", npy(t, w),
		NamesFile, `{"classes":["cat","dog"],"columns":["a","b"]}`)
	set, err := Open(fsys, ".", Options{X: tensor.Int64, Y: tensor.Int64, More: []Column{{Name: "w", As: tensor.Float32}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := set.FollowClasses([]string{"dog", "eel", "cat"}); err != nil {
		t.Fatal(err)
	}
	if err := set.FollowColumns([]string{"b"}); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]DataSource{"training": set.Train, "validation": set.Val} {
		if got, want := show(t, s, 1, 0), "2 of int64[1]→int64[]: [4 2] [0 2]"; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		more := tensor.New(tensor.Float32, 2)
		if err := BatchMore(s, []int{1, 0}, []*tensor.Tensor{more}); err != nil || fmt.Sprint(more.Data, More(s)) != "[6 5] [float32[]]" {
			t.Errorf("%s: further columns %v of %v, %v", name, more.Data, More(s), err)
		}
		if first, last, ok := LabelRange(s, nil); first != 0 || last != 2 || !ok {
			t.Errorf("%s: classes %d to %d, %v, want 0 to 2", name, first, last, ok)
		}
	}
	if set.Classes != 3 || set.FirstColumns() != "b" {
		t.Errorf("%d classes, columns %s", set.Classes, set.FirstColumns())
	}
}

// TestFollowAgain: numbers of classes that are changed and changed back are those of before; labels that are none remain.
func TestFollowAgain(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	y := tensor.Of([]int64{3, -1, 0, 2, 1, -100, 4}, 7)
	s, err := NewMemory(tensor.New(tensor.Float32, 7, 1), y, tensor.Float32, tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	set := &Set{Train: s, Names: names}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"d", "c", "b", "a"}, "[0 -1 3 1 2 -100 4]"},
		{[]string{"x", "a", "b", "c", "d"}, "[4 -1 1 3 2 -100 4]"},
		{[]string{"x", "a", "b", "c", "d"}, "[4 -1 1 3 2 -100 4]"},
		{nil, "[4 -1 1 3 2 -100 4]"},
	} {
		if err := set.FollowClasses(c.names); err != nil {
			t.Fatal(err)
		}
		if _, got := everything(t, set.Train); fmt.Sprint(got.Data) != c.want {
			t.Errorf("%q: %v, want %s", c.names, got.Data, c.want)
		}
	}
	if err := set.FollowClasses(names); err == nil || !strings.HasPrefix(err.Error(), `the data have the class "x", which the model does not have; its classes are: a, b, c, d`) {
		t.Errorf("back: %v", err)
	}
}

// TestLabelsOfLargeSources: labels are read in parts, each of them once, and weights are the same whether a source tells its labels or not.
func TestLabelsOfLargeSources(t *testing.T) {
	for _, n := range []int{1, 255, 256, 257, 4095, 4096, 4097, 9000} {
		s := numbered(t, n)
		var seen []int64
		passLabels(s, func(part *tensor.Tensor) { seen = append(seen, tensor.Data[int64](part)...) })
		for i, v := range seen {
			if v != int64(i) {
				t.Fatalf("label %d of %d is %d", i, n, v)
			}
		}
		first, last, ok := LabelRange(s, []int{n - 1})
		if n == 1 && ok || n > 1 && (first != 0 || last != int64(n-2) || !ok) || len(seen) != n {
			t.Errorf("labels of %d examples without the last: %d to %d, %v", n, first, last, ok)
		}
		told, err := labelsOf(s)
		if err != nil {
			t.Fatal(err)
		}
		if read, err := labelsOf(plain{s}); err != nil || !slices.Equal(told, read) {
			t.Errorf("%d labels that are told, %d that are read, %v", len(told), len(read), err)
		}
		if first, last, ok := LabelRange(plain{s}, nil); ok {
			t.Errorf("a source that reads its features for its labels: %d to %d", first, last)
		}
	}
}

// TestWeightsOfNormalized: a source around a part tells the labels of the whole, and the weights are still those of the part.
func TestWeightsOfNormalized(t *testing.T) {
	y := tensor.Of([]int64{0, 0, 0, 1, 1, 2, 2, 2}, 8)
	s, err := NewMemory(tensor.New(tensor.Float32, 8, 1), y, tensor.Float32, tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		part, _ := Split(s, 0.4, seed)
		normal, err := Normalize(part, []float32{1}, []float32{2})
		if err != nil {
			t.Fatal(err)
		}
		want, err := BalancedWeights(part)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := BalancedWeights(normal); err != nil || !slices.Equal(got, want) {
			t.Errorf("the weights of a part are %v, normalized %v, %v", want, got, err)
		}
	}
}

// TestWeightsRefused shows the errors for labels that are no classes, and for columns that are no weights.
func TestWeightsRefused(t *testing.T) {
	many := numbered(t, maxBalanced+1)
	if _, err := BalancedWeights(many); err == nil || err.Error() != "labels have more than 65536 values, want classes" {
		t.Errorf("a class for each example: %v", err)
	}
	enough, _ := Split(many, 1e-9, 1)
	if w, err := BalancedWeights(enough); err != nil || len(w) != maxBalanced {
		t.Errorf("%d weights, %v", len(w), err)
	}
	nan := tensor.Of([]float32{1, 0, 1}, 3)
	tensor.Data[float32](nan)[1] /= tensor.Data[float32](nan)[1]
	s, err := NewMemory(tensor.New(tensor.Float32, 3, 1), nan, tensor.Float32, tensor.Float32)
	if err != nil {
		t.Fatal(err)
	}
	if w, err := BalancedWeights(s); err == nil || err.Error() != "the label of example 1 is NaN, want a class" {
		t.Errorf("NaN: %v, %v", w, err)
	}
	x, y := tensor.New(tensor.Float32, 2, 1), tensor.New(tensor.Int64, 2)
	for _, c := range []struct {
		column *tensor.Tensor
		as     tensor.DType
		want   string
	}{
		{tensor.New(tensor.Float32, 2, 3), tensor.Float32, "weights are float32[3], want one float32 for each example"},
		{tensor.New(tensor.Int64, 2), tensor.Int64, "weights are int64[], want one float32 for each example"},
		{nil, 0, "there is no column of weights beside features and labels"},
	} {
		arrays := map[string]*tensor.Tensor{"x": x, "y": y}
		opt := Options{X: tensor.Float32, Y: tensor.Int64}
		if c.column != nil {
			arrays["w"], opt.More = c.column, []Column{{Name: "w", As: c.as}}
		}
		set, err := Open(files("a.npz", archive(t, arrays)), "a.npz", opt)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := TakeWeights(set.Train); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestTakenWeights: without the last column nothing remains to be read, and weights of one kind give draws of that kind.
func TestTakenWeights(t *testing.T) {
	n := 2*readAtOnce + 1
	x, w := tensor.New(tensor.Float32, n, 1), tensor.New(tensor.Float32, n)
	for i := range n {
		tensor.Data[float32](w)[i] = float32(i % 2)
	}
	set, err := Open(files("a.npz", archive(t, map[string]*tensor.Tensor{"x": x, "y": tensor.New(tensor.Int64, n), "w": w})), "a.npz",
		Options{X: tensor.Float32, Y: tensor.Int64, More: []Column{{Name: "w", As: tensor.Float32, Weights: true}}})
	if err != nil {
		t.Fatal(err)
	}
	weights, rest, err := TakeWeights(set.Train)
	if err != nil || !slices.Equal(weights, tensor.Data[float32](w)) {
		t.Fatalf("%d weights, %v", len(weights), err)
	}
	if err := BatchMore(rest, []int{0}, nil); err != nil || len(More(rest)) != 0 {
		t.Errorf("columns %v remain, %v", More(rest), err)
	}
	if err := BatchMore(plain{rest}, []int{0}, []*tensor.Tensor{tensor.New(tensor.Float32, 1)}); err == nil ||
		err.Error() != "dataset: examples have features and labels alone, want 1 values more" {
		t.Errorf("a further value: %v", err)
	}
	draws, err := NewDraws(weights)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range draws.Order(1, 1) {
		if i%2 == 0 {
			t.Fatalf("example %d of weight 0 is drawn", i)
		}
	}
}

// TestChooseRefuses shows the errors for columns of a table that is not CSV.
func TestChooseRefuses(t *testing.T) {
	header := []string{"a", "b", "c"}
	for _, c := range []struct {
		opt  Options
		want string
	}{
		{Options{Label: "d"}, `there is no label column "d"; there are: a, b, c`},
		{Options{Label: "4"}, `there is no label column "4"; there are: a, b, c`},
		{Options{Label: "0"}, `there is no label column "0"; there are: a, b, c`},
		{Options{Columns: []string{"c"}}, `column "c" is the label, and cannot be a feature, too`},
		{Options{Categories: []string{"c"}}, `column "c" has categories, and is no feature`},
		{Options{Missing: "NaN"}, `--missing is "NaN", want drop or a number`},
		{Options{Missing: "1e39"}, `--missing is "1e39", want drop or a number`},
	} {
		if _, err := c.opt.Choose(header); err == nil || err.Error() != c.want {
			t.Errorf("%+v: got %v, want %s", c.opt, err, c.want)
		}
	}
	many := slices.Repeat([]string{"n"}, 12)
	if got, want := firstNames(many), strings.Repeat("n, ", 9)+"n …"; got != want {
		t.Errorf("twelve names are listed as %s, want %s", got, want)
	}
	if got, want := firstNames([]string{strings.Repeat("é", 41), "x\ny"}), strings.Repeat("é", 40)+`…, "x\ny"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
