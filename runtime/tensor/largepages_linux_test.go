package tensor

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// TestAlignedAsksForLargePages checks the flag that the kernel keeps for the hint.
func TestAlignedAsksForLargePages(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("emulators keep advice to themselves")
	}
	b := Aligned(16 << 20)
	at := uintptr(unsafe.Pointer(&b[len(b)/2]))
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil || !strings.Contains(string(maps), "VmFlags:") {
		t.Skip("the system does not tell the flags of memory")
	}
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the kernel has no large pages to give")
	}
	inside := false
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		if _, err := fmt.Sscanf(line, "%x-%x ", &from, &to); err == nil {
			inside = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			if !strings.Contains(flags, " hg") {
				t.Errorf("flags %q of a buffer of 16 MiB lack hg", strings.TrimSpace(flags))
			}
			return
		}
	}
	t.Error("the buffer is nowhere in memory")
}
