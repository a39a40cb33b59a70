package raw

import (
	"bytes"
	"testing"
)

// TestPackBits packs elements of 2 and 4 bits, and unpacks them.
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
