package dataset

import (
	"fmt"
	"math"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestMemory reads rows of each type as floats and as integers: bytes are fractions of 255 only as features that are floats.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		x                  *tensor.Tensor
		floats, ints, ends string // as features, and the labels that are floats
	}{
		{tensor.Of([]bool{true, false}, 2), "[1 0]", "[1 0]", "[1 0]"},
		{tensor.Of([]uint8{255, 51}, 2), "[1 0.2]", "[255 51]", "[255 51]"},
		{tensor.Of([]int8{-128, 127}, 2), "[-128 127]", "[-128 127]", "[-128 127]"},
		{tensor.Of([]int16{-300, 300}, 2), "[-300 300]", "[-300 300]", "[-300 300]"},
		{tensor.Of([]uint16{65535, 1}, 2), "[65535 1]", "[65535 1]", "[65535 1]"},
		{tensor.Of([]int32{-70000, 7}, 2), "[-70000 7]", "[-70000 7]", "[-70000 7]"},
		{tensor.Of([]uint32{math.MaxUint32, 7}, 2), "[4.2949673e+09 7]", "[4294967295 7]", "[4.2949673e+09 7]"},
		{tensor.Of([]uint64{math.MaxInt64, 7}, 2), "[9.223372e+18 7]", "[9223372036854775807 7]", "[9.223372e+18 7]"},
		{tensor.Of([]int64{-1 << 40, 7}, 2), "[-1.0995116e+12 7]", "[-1099511627776 7]", "[-1.0995116e+12 7]"},
		{tensor.Of([]float32{-2, 3}, 2), "[-2 3]", "[-2 3]", "[-2 3]"},
		{tensor.Of([]float64{-2, 3}, 2), "[-2 3]", "[-2 3]", "[-2 3]"},
	} {
		f, err := NewMemory(c.x, c.x, tensor.Float32, tensor.Float32)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := show(t, f, 0, 1), fmt.Sprintf("2 of float32[]→float32[]: %s %s", c.floats, c.ends); got != want {
			t.Errorf("%v: %s, want %s", c.x, got, want)
		}
		i, err := NewMemory(c.x, c.x, tensor.Int64, tensor.Int64)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := show(t, i, 0, 1), fmt.Sprintf("2 of int64[]→int64[]: %s %s", c.ints, c.ints); got != want {
			t.Errorf("%v: %s, want %s", c.x, got, want)
		}
	}
}

// TestMemoryRefuses: tensors that are no examples, or lose something when they are read.
func TestMemoryRefuses(t *testing.T) {
	two, three := tensor.New(tensor.Float32, 2), tensor.New(tensor.Float32, 3)
	nan, inf := float32(math.NaN()), math.Inf(1)
	for _, c := range []struct {
		x, y     *tensor.Tensor
		asX, asY tensor.DType
		want     string
	}{
		{tensor.New(tensor.Float32), two, tensor.Float32, tensor.Float32, "features: float32[] is no list of examples"},
		{two, tensor.New(tensor.Int64), tensor.Float32, tensor.Int64, "labels: int64[] is no list of examples"},
		{two, three, tensor.Float32, tensor.Float32, "features of 2 examples, labels of 3"},
		{tensor.Of([]string{"a", "b"}, 2), two, tensor.Float32, tensor.Float32, "features: string[2], want float32, float64, integers of at least 8 bits or bools"},
		{tensor.New(tensor.Complex64, 2), two, tensor.Float32, tensor.Float32, "features: complex64[2], want float32, float64, integers of at least 8 bits or bools"},
		{two, two, tensor.Float64, tensor.Float32, "features: read as float64, want float32 or int64"},
		{two, two, tensor.Float32, tensor.Bool, "labels: read as bool, want float32 or int64"},
		{tensor.Of([]float32{1, 2.5}, 2), two, tensor.Int64, tensor.Float32, "features: float32[2] with a fraction at element 1, want whole numbers"},
		{tensor.Of([]float32{nan, 2}, 2), two, tensor.Int64, tensor.Float32, "features: float32[2] with a fraction at element 0, want whole numbers"},
		{tensor.Of([]uint64{1, 1 << 63}, 2), two, tensor.Int64, tensor.Float32, "features: uint64[2] with 9223372036854775808 at element 1, want at most 9223372036854775807"},
		{tensor.Of([]float32{-1 << 63, 1 << 63}, 2), two, tensor.Int64, tensor.Float32, "features: float32[2] with a fraction at element 1, want whole numbers"},
		{tensor.Of([]float64{-1 << 63, -1 << 63 * 1.5}, 2), two, tensor.Int64, tensor.Float32, "features: float64[2] with a fraction at element 1, want whole numbers"},
		{two, tensor.Of([]float64{0, inf}, 2), tensor.Float32, tensor.Int64, "labels: float64[2] with a fraction at element 1, want whole numbers"},
	} {
		if _, err := NewMemory(c.x, c.y, c.asX, c.asY); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestBatchErrors: tensors of another type than a source says, and numbers that it does not have, through all wrappers.
func TestBatchErrors(t *testing.T) {
	s, err := NewMemory(tensor.New(tensor.Float32, 6, 2), tensor.New(tensor.Int64, 6), tensor.Float32, tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	part, rest := Split(s, 0.5, 1)
	normal, err := Normalize(part, []float32{1}, []float32{2})
	if err != nil {
		t.Fatal(err)
	}
	set := &Set{Train: rest, Names: []string{"b", "a"}, Columns: []string{"u", "v"}}
	if err := set.FollowClasses([]string{"a", "b", "c"}); err != nil {
		t.Fatal(err)
	}
	if err := set.FollowColumns([]string{"v"}); err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]DataSource{"memory": s, "a part": part, "normalized": normal, "adapted": set.Train} {
		x, y := source.Features().Tensor(1), source.Labels().Tensor(1)
		if err := source.Batch([]int{0}, x, y); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			what    string
			indices []int
			x, y    *tensor.Tensor
		}{
			{"a number too large", []int{source.Len()}, x, y},
			{"a negative number", []int{-1}, x, y},
			{"two for one", []int{0, 1}, x, y},
			{"features of another type", []int{0}, tensor.New(tensor.Int64, x.Shape...), y},
			{"features of another shape", []int{0}, tensor.New(tensor.Float32, 1, 7), y},
			{"labels of another type", []int{0}, x, tensor.New(tensor.Float32, 1)},
			{"labels of another rank", []int{0}, x, tensor.New(tensor.Int64, 1, 1)},
		} {
			if err := source.Batch(c.indices, c.x, c.y); err == nil {
				t.Errorf("%s, %s: the batch is filled", name, c.what)
			}
		}
		if err := BatchMore(source, []int{0}, []*tensor.Tensor{y}); err == nil {
			t.Errorf("%s: a further column is filled, and there is none", name)
		}
		if err := BatchMore(source, []int{0}, nil); err != nil || len(More(source)) > 0 {
			t.Errorf("%s: %v for no further columns", name, err)
		}
	}
}

// A text is divided into consecutive parts: its windows have an order.
func TestTextInOrder(t *testing.T) {
	set, err := Text("abcdefghijklmnopqrstu", 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	train, val := Split(set.Train, 0.3, 5)
	if got := fmt.Sprint(show(t, train, 0, 6), show(t, val, 0, 2)); got != "7 of int64[2]→int64[2]: [0 1 12 13] [1 2 13 14]3 of int64[2]→int64[2]: [14 15 18 19] [15 16 19 20]" {
		t.Errorf("a text is split into %s", got)
	}
	var parts []string
	for i := range 3 {
		_, held := Fold(set.Train, i, 3, 5)
		parts = append(parts, show(t, held, 0, held.Len()-1))
	}
	want := "[3 of int64[2]→int64[2]: [0 1 4 5] [1 2 5 6] 3 of int64[2]→int64[2]: [6 7 10 11] [7 8 11 12] 4 of int64[2]→int64[2]: [12 13 18 19] [13 14 19 20]]"
	if got := fmt.Sprint(parts); got != want {
		t.Errorf("folds are %s, want %s", got, want)
	}
	if _, val := Split(set.Train, 0, 1); val != nil {
		t.Error("nothing is held back, and there is validation")
	}
	if err := set.Train.Batch([]int{10}, set.Train.Features().Tensor(1), set.Train.Labels().Tensor(1)); err == nil {
		t.Error("window 10 of 10 is read")
	}
}

// TestAugmentationOfOthers: data that are no images are refused, unless nothing is to be varied.
func TestAugmentationOfOthers(t *testing.T) {
	row, image := Spec{tensor.Float32, []int{4}}, Spec{tensor.Float32, []int{1, 4, 4}}
	a := Augmentation{Flip: true}
	for _, c := range []struct {
		a    Augmentation
		of   Spec
		want string
	}{
		{a, image, "<nil>"},
		{Augmentation{}, row, "<nil>"},
		{a, row, "augmentation is for images, the data are float32[4]"},
		{a, Spec{tensor.Int64, []int{4, 4}}, "augmentation is for images, the data are int64[4,4]"},
	} {
		if got := fmt.Sprint(c.a.Check(c.of)); got != c.want {
			t.Errorf("%v of %v: %s, want %s", c.a, c.of, got, c.want)
		}
	}
	x := tensor.Of([]float32{1, 2}, 1, 1, 2)
	Augmentation{}.Apply(1, 1, []int{0}, x)
	if fmt.Sprint(x.Data) != "[1 2]" {
		t.Errorf("no augmentation makes %v of 1 and 2", x.Data)
	}
	if a, err := ParseAugmentation(",flip,"); err != nil || a != (Augmentation{Flip: true}) {
		t.Errorf("got %v, %v, want flip", a, err)
	}
}
