package compare_test

import (
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// TestValues shows which values are equal, and the message for those that are not; "" is equal.
func TestValues(t *testing.T) {
	nan := float32(math.NaN())
	three := tensor.Of([]float32{1, 2, 3}, 3)
	list := func(items ...tensor.Value) *tensor.Sequence { return &tensor.Sequence{Items: items} }
	keyed := func(keys []string, values ...float32) *tensor.Map {
		return &tensor.Map{Keys: tensor.Of(keys, len(keys)), Values: tensor.Of(values, len(values))}
	}
	numbered := func(keys []int64, values ...float32) *tensor.Map {
		return &tensor.Map{Keys: tensor.Of(keys, len(keys)), Values: tensor.Of(values, len(values))}
	}
	for _, c := range []struct {
		got, want tensor.Value
		tol       compare.Tolerance
		err       string
	}{
		{three, tensor.Of([]float32{1, 2, 3}, 3), compare.Tolerance{}, ""},
		{three, tensor.Of([]float32{1, 2, 3.5}, 3), compare.Tolerance{}, "1 of 3 elements differ, by up to 0.5; element 2: got 3, want 3.5"},
		{three, tensor.Of([]float32{1, 2, 3.1}, 3), compare.Tolerance{Abs: 0.2}, ""},
		{three, tensor.Of([]float32{1, 2, 3.1}, 3), compare.Tolerance{Rel: 0.05}, ""},
		{three, tensor.Of([]float32{0, 0, 0}, 3), compare.Tolerance{Rel: 1}, "3 of 3 elements differ"},
		{three, tensor.Of([]float32{1, 2, 3}, 1, 3), compare.Tolerance{}, "got float32[3], want float32[1,3]"},
		{three, tensor.Of([]float64{1, 2, 3}, 3), compare.Tolerance{}, "got float32[3], want float64[3]"},
		{three, list(), compare.Tolerance{}, "want a sequence"},
		{list(), three, compare.Tolerance{}, "want a tensor"},
		{three, numbered(nil), compare.Tolerance{}, "want a map"},
		{tensor.Of([]float32{nan}), tensor.Of([]float32{nan}), compare.Tolerance{}, ""},
		{tensor.Of([]float32{nan}), tensor.Of([]float32{1}), compare.Tolerance{Abs: 9}, "got NaN, want 1"},
		{tensor.Of([]complex64{1i}), tensor.Of([]complex64{2i}), compare.Tolerance{}, "element 1: got 1, want 2"},
		{tensor.Of([]complex128{1i}), tensor.Of([]complex128{1i}), compare.Tolerance{}, ""},
		{tensor.Of([]string{"a"}), tensor.Of([]string{"b"}), compare.Tolerance{Abs: 9}, `element 0: got "a", want "b"`},
		{tensor.Of([]string{"a"}), tensor.Of([]string{"a"}), compare.Tolerance{}, ""},
		{list(three), list(three), compare.Tolerance{}, ""},
		{list(three), list(three, three), compare.Tolerance{}, "got 1 items, want 2"},
		{list(three), list(tensor.Of([]float32{1, 2, 4}, 3)), compare.Tolerance{}, "item 0: 1 of 3"},
		{keyed([]string{"a", "b"}, 1, 2), keyed([]string{"b", "a"}, 2, 1), compare.Tolerance{}, ""},
		{keyed([]string{"a"}, 1), keyed([]string{"b"}, 1), compare.Tolerance{}, "key b is missing"},
		{numbered([]int64{5}, 1), numbered([]int64{5}, 2), compare.Tolerance{}, "key 5: 1 of 1"},
		{numbered([]int64{5}, 1), keyed([]string{"b"}, 1), compare.Tolerance{}, "want"},
		{&tensor.Optional{Value: three}, three, compare.Tolerance{}, ""},
		{three, &tensor.Optional{Value: three}, compare.Tolerance{}, ""},
		{&tensor.Optional{}, &tensor.Optional{}, compare.Tolerance{}, ""},
		{&tensor.Optional{}, &tensor.Optional{Value: three}, compare.Tolerance{}, "got <nil>, want"},
	} {
		err := compare.Values(c.got, c.want, c.tol)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v and %v within %v: got %v, want %q", c.got, c.want, c.tol, err, c.err)
		}
	}
}

// TestFloats reads elements of each numeric type: 1 is read as 1.
func TestFloats(t *testing.T) {
	for d := tensor.DType(1); d.Valid(); d++ {
		if d == tensor.String || d.IsComplex() {
			continue
		}
		one := tensor.New(d, 1)
		if got := compare.Floats(one); len(got) != 1 || got[0] != 0 && d != tensor.Float8E8M0 {
			t.Errorf("a new %v is %v, want [0]", d, got)
		}
	}
	for _, one := range []*tensor.Tensor{
		tensor.Of([]float64{1}), tensor.Of([]int8{1}), tensor.Of([]int16{1}), tensor.Of([]int32{1}), tensor.Of([]int64{1}), tensor.Of([]uint8{1}),
		tensor.Of([]uint16{1}), tensor.Of([]uint32{1}), tensor.Of([]uint64{1}), tensor.Of([]bool{true}), tensor.Of([]tensor.I4{1}), tensor.Of([]tensor.U4{1}),
		tensor.Of([]tensor.F16{0x3c00}), tensor.Of([]tensor.BF16{0x3f80}),
	} {
		if got := compare.Floats(one); got[0] != 1 {
			t.Errorf("a 1 of %v is %v", one.DType, got)
		}
	}
}
