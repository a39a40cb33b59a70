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
	if flags := flagsOf(t, Aligned(16<<20)); !strings.Contains(flags, " hg") {
		t.Errorf("flags %q of a buffer of 16 MiB lack hg", flags)
	}
}

// flagsOf returns what the kernel shows of the memory in the middle of b, or nothing if it shows none.
func flagsOf(t *testing.T, b []byte) string {
	at := uintptr(unsafe.Pointer(&b[len(b)/2]))
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
