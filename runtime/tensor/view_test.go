package tensor

import (
	"math"
	"testing"
	"unsafe"
)

// TestView checks that a view is a part of the buffer, with its length as capacity.
func TestView(t *testing.T) {
	b := Aligned(64)
	v := View[float32](b, 8, 3)
	v[0], v[2] = 1, 2
	if len(v) != 3 || cap(v) != 3 {
		t.Errorf("len %d, cap %d, want 3", len(v), cap(v))
	}
	if w := View[float32](b, 0, 16); w[2] != 1 || w[4] != 2 {
		t.Errorf("the view is not the buffer: %v", w)
	}
	if v := View[float64](b, 64, 0); len(v) != 0 {
		t.Errorf("view of nothing has %d elements", len(v))
	}
	if v := View[I4](b, 63, 1); len(v) != 1 {
		t.Errorf("view of the last byte has %d elements", len(v))
	}
}

// TestViewOutside checks that a view outside of the buffer, or not aligned, panics.
func TestViewOutside(t *testing.T) {
	b := Aligned(64)
	mustPanic(t, "BUG: tensor.View: 17 elements of float32 at byte 0 of 64", func() { View[float32](b, 0, 17) })
	mustPanic(t, "BUG: tensor.View: 1 elements of int64 at byte 60 of 64", func() { View[int64](b, 60, 1) })
	mustPanic(t, "at byte -4 of 64", func() { View[int32](b, -4, 1) })
	mustPanic(t, "at byte 65 of 64", func() { View[bool](b, 65, 0) })
	mustPanic(t, "-1 elements", func() { View[bool](b, 0, -1) })
	mustPanic(t, "BUG: tensor.View", func() { View[float64](b, 8, math.MaxInt/4) })
	mustPanic(t, "byte 2 is not aligned for float32", func() { View[float32](b, 2, 1) })
	mustPanic(t, "strings have no bytes", func() { View[string](b, 0, 1) })
}

// TestGrow checks that a slice is reallocated only if its capacity is too small.
func TestGrow(t *testing.T) {
	s := make([]int32, 2, 8)
	if g := Grow(s, 8); &g[0] != &s[0] || len(g) != 8 {
		t.Error("grew within the capacity and moved")
	}
	if g := Grow(s, 9); len(g) != 9 {
		t.Errorf("len %d, want 9", len(g))
	}
	if g := Grow[string](nil, 0); len(g) != 0 {
		t.Errorf("len %d, want 0", len(g))
	}
}

// TestAligned checks the alignment and the length of buffers, also of large ones.
func TestAligned(t *testing.T) {
	for i := range 400 {
		n := i
		if i >= 200 {
			n = largePage - 300 + i
		}
		b := Aligned(n)
		if p := uintptr(unsafe.Pointer(unsafe.SliceData(b))); p%64 != 0 || len(b) != n || cap(b) != n {
			t.Fatalf("%d bytes at %#x, len %d, cap %d", n, p, len(b), cap(b))
		}
	}
}

// A tensor in a buffer has the buffer's bytes.
func TestIn(t *testing.T) {
	b := Aligned(64)
	x := In(b, 8, Int32, 2, 1)
	Data[int32](x)[1] = 7
	if got := View[int32](b, 12, 1)[0]; got != 7 || x.Len() != 2 || x.String() != "int32[2,1]" {
		t.Errorf("got %v, which has %d at its end", x, got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a tensor is in a buffer that is too small")
		}
	}()
	In(b, 60, Int32, 2)
}
