package crc32c

import (
	"os"
	"runtime/debug"
	"syscall"
	"testing"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// Bytes outside of the slice are not read: those behind its last one, or before its first one, are in a protected page.
func TestCRC32CStaysInside(t *testing.T) {
	page := os.Getpagesize()
	b, err := syscall.Mmap(-1, 0, 4*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	for _, fence := range [][]byte{b[:page], b[3*page:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	inside := b[page : 3*page]
	for _, l := range cpu.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			defer cpu.SetLevel(cpu.SetLevel(l))
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("a byte outside of the slice is read: %v", r)
				}
			}()
			for n := range len(inside) {
				Update(7, inside[:n])
				Update(7, inside[len(inside)-n:])
			}
		})
	}
}
