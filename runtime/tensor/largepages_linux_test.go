package tensor

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// TestAlignedAsksForLargePages checks the flag that the kernel keeps for the hint.
func TestAlignedAsksForLargePages(t *testing.T) {
	asked, err := syscall.Mmap(-1, 0, 16<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(asked)
	if syscall.Madvise(asked, syscall.MADV_HUGEPAGE) != nil || !strings.Contains(flagsOf(t, asked), " hg") {
		t.Skip("the system keeps no hints for memory, or does not show them; an emulator, for example")
	}
	for _, n := range []int{largePage / 8, largePage / 2, largePage, 5 << 20, 16 << 20} {
		b := Aligned(n)
		for _, at := range []int{0, n / 2, n - 1} {
			if flags := flagsOf(t, b[at:]); !strings.Contains(flags, " hg") {
				t.Errorf("flags %q of byte %d of a buffer of %d bytes lack hg", flags, at, n)
			}
		}
	}
}

// Embedded files that are large, but not huge, are read from a copy.
func TestEmbeddedInLargePages(t *testing.T) {
	file, err := syscall.Mmap(-1, 0, 80<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(file)
	for at := range file[:5<<20] {
		file[at] = byte(at * at >> 8)
	}
	for size, moves := range map[int]bool{largePage - 1: false, largePage: true, 5 << 20: true, 65 << 20: false} {
		s := unsafe.String(&file[0], size)
		b := Embedded(s)
		if moved := &b[0] != &file[0]; moved != moves {
			t.Errorf("a file of %d bytes moved: %v, want %v", size, moved, moves)
		}
		if string(b) != s {
			t.Errorf("a file of %d bytes has changed", size)
		}
	}
}

// TestInLargePages: the last page of a buffer is large if the buffer fills half of it.
func TestInLargePages(t *testing.T) {
	for n, want := range map[int]int{0: 0, largePage - 1: 0, largePage: 1, largePage + largePage/2 - 1: 1, largePage + largePage/2: 2, 16 << 20: 8} {
		if got := inLargePages(n); got != want*largePage {
			t.Errorf("%d bytes have %d in large pages, want %d", n, got, want*largePage)
		}
	}
}

// flagsOf returns what the kernel shows of the memory at the begin of b, or nothing if it shows none.
func flagsOf(t *testing.T, b []byte) string {
	at := uintptr(unsafe.Pointer(&b[0]))
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		if _, err := fmt.Sscanf(line, "%x-%x ", &from, &to); err == nil {
			inside = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			return strings.TrimSpace(flags)
		}
	}
	return ""
}
