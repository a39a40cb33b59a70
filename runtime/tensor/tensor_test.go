package tensor

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestNewIsZeroed checks the elements and the size of new tensors of each type.
func TestNewIsZeroed(t *testing.T) {
	for d := Float32; d <= Int2; d++ {
		x := New(d, 2, 3)
		if x.Len() != 6 || len(x.Bytes()) != 6*d.Size() {
			t.Errorf("%v: %d elements in %d bytes", x, x.Len(), len(x.Bytes()))
		}
		if !Equal(x, New(d, 2, 3)) || Equal(x, New(d, 3, 2)) || Equal(x, New(d%26+1, 2, 3)) {
			t.Errorf("%v: Equal sees what is not there", x)
		}
		if empty := New(d, 2, 0); empty.Len() != 0 || (empty.Bytes() == nil) != (d == String) {
			t.Errorf("%v: bytes %v", empty, empty.Bytes())
		}
	}
}

// TestCloneIsACopy checks that changes of a clone do not change the tensor.
func TestCloneIsACopy(t *testing.T) {
	x := Of([]float32{1, 2}, 2)
	y := x.Clone()
	Data[float32](y)[0] = 5
	y.Shape[0] = 7
	if !Equal(x, Of([]float32{1, 2}, 2)) {
		t.Errorf("the clone's change shows in %v %v", x, x.Data)
	}
	s := Of([]string{"a", "b"}, 2)
	if c := s.Clone(); !Equal(c, s) {
		t.Errorf("clone of %v is %v", s.Data, c.Data)
	}
}

// TestEqualLooksAtBits checks that equality is that of bits: NaN is equal to itself, 0 and -0 differ.
func TestEqualLooksAtBits(t *testing.T) {
	nan := float32(math.NaN())
	if !Equal(Of([]float32{nan}), Of([]float32{nan})) {
		t.Error("NaN differs from itself")
	}
	if Equal(Of([]float32{0}), Of([]float32{float32(math.Copysign(0, -1))})) {
		t.Error("0 is equal to -0")
	}
}

// TestBytesIsTheMemory checks that the bytes of a tensor are the memory of its elements.
func TestBytesIsTheMemory(t *testing.T) {
	x := Of([]uint16{0x0201, 0x0403}, 2)
	if b := x.Bytes(); !slices.Equal(b, []byte{1, 2, 3, 4}) && !slices.Equal(b, []byte{2, 1, 4, 3}) {
		t.Errorf("bytes are %v", b)
	}
	x.Bytes()[0], x.Bytes()[1] = 0xff, 0xff
	if Data[uint16](x)[0] != 0xffff {
		t.Error("Bytes is a copy")
	}
}

// TestNumElements checks the number of elements of shapes, and the errors for those that are too large.
func TestNumElements(t *testing.T) {
	for _, c := range []struct {
		shape []int
		n     int
		err   string
	}{
		{nil, 1, ""}, {[]int{2, 3}, 6, ""}, {[]int{0, math.MaxInt, math.MaxInt}, 0, ""}, {[]int{1, maxElements}, maxElements, ""},
		{[]int{maxElements, 2}, 0, "more than"}, {[]int{math.MaxInt, math.MaxInt}, 0, "more than"},
		{[]int{0, -1}, 0, "dimension -1 at 1"}, {[]int{-3, -3}, 0, "dimension -3 at 0"},
	} {
		n, err := NumElements(c.shape)
		if n != c.n || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("NumElements(%v) = %d, %v, want %d, %q", c.shape, n, err, c.n, c.err)
		}
	}
}

// TestMisuseIsABug checks that impossible shapes and types cause a panic.
func TestMisuseIsABug(t *testing.T) {
	mustPanic(t, "BUG: tensor.Of: 2 elements for shape [3], want 3", func() { Of([]int8{1, 2}, 3) })
	mustPanic(t, "BUG: tensor.Of: shape [-1]", func() { Of([]int8{1}, -1) })
	mustPanic(t, "BUG: tensor.New of undefined", func() { New(Undefined, 1) })
	mustPanic(t, "BUG: tensor.New: shape [-1]", func() { New(Bool, -1) })
	mustPanic(t, "BUG: tensor.Data: tensor of float16 read as uint16", func() { Data[uint16](New(Float16, 1)) })
}

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if s, _ := recover().(string); !strings.Contains(s, want) {
			t.Errorf("panic %q, want %q", s, want)
		}
	}()
	f()
}
