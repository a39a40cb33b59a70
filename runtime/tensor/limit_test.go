package tensor

import (
	"errors"
	"math"
	"testing"
)

// TestCheckSize checks which sizes of tensors are below the limit, and the errors for others.
func TestCheckSize(t *testing.T) {
	SetLimit(1 << 10)
	defer SetLimit(0)
	for _, c := range []struct {
		size  int
		shape []int
		want  string
	}{
		{4, []int{16, 16}, ""},
		{4, nil, ""},
		{8, []int{16, 16}, "a tensor of shape [16 16] would have 256 elements of 8 bytes, more than the limit of 1024 bytes"},
		{0, []int{65}, "a tensor of shape [65] would have 65 elements of 16 bytes, more than the limit of 1024 bytes"},
		{1, []int{math.MaxInt, math.MaxInt, 2}, "a tensor of shape [9223372036854775807 9223372036854775807 2] would have more elements than can be counted, more than the limit of 1024 bytes"},
		{1, []int{math.MaxInt, math.MaxInt, 0}, ""},
	} {
		got := ""
		if err := CheckSize(c.size, c.shape); err != nil {
			got = err.Error()
		}
		if got != c.want && math.MaxInt == 1<<63-1 {
			t.Errorf("%v: got %q, want %q", c.shape, got, c.want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { CheckSize(4, []int{16, 16}) }); n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// TestGrowLimit grows beyond the limit, and by a size that has overflowed.
func TestGrowLimit(t *testing.T) {
	SetLimit(1 << 10)
	defer SetLimit(0)
	for _, n := range []int{257, -1} {
		err := func() (err error) {
			defer func() { err, _ = recover().(error) }()
			Grow([]float32(nil), n)
			return nil
		}()
		if _, ok := errors.AsType[*SizeError](err); !ok {
			t.Errorf("%d elements: got %v, want a SizeError", n, err)
		}
	}
	if got := len(Grow([]float32(nil), 256)); got != 256 {
		t.Errorf("got %d elements, want 256", got)
	}
}
