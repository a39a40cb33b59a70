package tensor

import (
	"bytes"
	"testing"
)

// TestSwapBytes checks the order of bytes of each element type.
func TestSwapBytes(t *testing.T) {
	for d, want := range map[DType][]byte{
		Int8:       {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		Float16:    {2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15},
		Complex64:  {4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9, 16, 15, 14, 13},
		Complex128: {8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9},
	} {
		b := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
		if swap(b, d); !bytes.Equal(b, want) {
			t.Errorf("%v: %v, want %v", d, b, want)
		}
	}
}

// TestRaw checks that the bytes of elements are their memory, and are read back.
func TestRaw(t *testing.T) {
	x := []float32{1, -2, 3}
	b := Raw(x)
	if want := []byte{0, 0, 128, 63, 0, 0, 0, 192, 0, 0, 64, 64}; !bytes.Equal(b, want) {
		t.Errorf("%v is %v, want %v", x, b, want)
	}
	y := make([]float32, 3)
	if SetRaw(y, b); y[1] != -2 || y[2] != 3 {
		t.Errorf("%v is %v, want %v", b, y, x)
	}
	flags := make([]bool, 3)
	if SetRaw(flags, []byte{0, 1, 7}); flags[0] || !flags[1] || !flags[2] {
		t.Errorf("0, 1, 7 are %v, want false, true, true", flags)
	}
	if b := Raw(flags); !bytes.Equal(b, []byte{0, 1, 1}) {
		t.Errorf("%v is %v, want 0, 1, 1", flags, b)
	}
	n := int64(7)
	if One(&n)[0]++; n != 8 {
		t.Errorf("n is %d, want 8", n)
	}
}

// TestElementsIn checks that bytes are viewed as elements only if they are aligned and complete.
func TestElementsIn(t *testing.T) {
	b := Raw([]float32{1, -2, 3, 4})
	x, ok := ElementsIn[float32](b)
	if !ok || len(x) != 4 || x[1] != -2 || &Raw(x)[0] != &b[0] {
		t.Errorf("got %v, %v", x, ok)
	}
	if _, ok := ElementsIn[float32](b[:7]); ok {
		t.Error("7 bytes are float32s")
	}
	if _, ok := ElementsIn[float32](b[1:9]); ok {
		t.Error("float32s may stand anywhere")
	}
	if _, ok := ElementsIn[bool]([]byte{7}); ok {
		t.Error("any byte is a bool")
	}
}
