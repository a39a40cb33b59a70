package tensor

import (
	"strings"
	"testing"
	"unsafe"
)

// An embedded file begins at a cache line, whatever the linker's placement.
func TestEmbeddedBeginsWithACacheLine(t *testing.T) {
	file := strings.Repeat("0123456789", 20)
	for at := range 70 {
		b := Embedded(file[at:])
		if p := uintptr(unsafe.Pointer(unsafe.SliceData(b))); p%alignment != 0 {
			t.Errorf("byte %d of a file: address %#x", at, p)
		}
		if string(b) != file[at:] {
			t.Errorf("byte %d of a file: got %q, want %q", at, b, file[at:])
		}
	}
}
