package raw

import (
	"bytes"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

func TestPackBits(t *testing.T) {
	for _, c := range []struct {
		bits     int
		signed   bool
		elements []byte
		packed   []byte
	}{
		{4, false, []byte{1, 2, 15}, []byte{0x21, 0x0f}},
		{4, true, []byte{0xf8, 7, 0xff}, []byte{0x78, 0x0f}},
		{2, false, []byte{0, 1, 2, 3, 1}, []byte{0b11100100, 1}},
		{2, true, []byte{0xfe, 1, 0xff}, []byte{0b110110}},
		{4, true, nil, nil},
	} {
		if got := PackBits(nil, c.elements, c.bits); !bytes.Equal(got, c.packed) {
			t.Errorf("%x packs to %x, want %x", c.elements, got, c.packed)
		}
		got := make([]byte, len(c.elements))
		if UnpackBits(got, c.packed, c.bits, c.signed); !bytes.Equal(got, c.elements) {
			t.Errorf("%x unpacks to %x, want %x", c.packed, got, c.elements)
		}
	}
}

func TestSwapBytes(t *testing.T) {
	for d, want := range map[tensor.DType][]byte{
		tensor.Int8:       {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		tensor.Float16:    {2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15},
		tensor.Complex64:  {4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9, 16, 15, 14, 13},
		tensor.Complex128: {8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9},
	} {
		b := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
		if swapBytes(b, d); !bytes.Equal(b, want) {
			t.Errorf("%v: %v, want %v", d, b, want)
		}
	}
}
