package tensor

import (
	"syscall"
	"unsafe"
)

// largePage is the size of a large page if small ones have 4 KiB.
const largePage = 2 << 20

// largePages requests large pages for the part of b that consists of whole large pages. Kernels access rows
// that are far apart; with small pages they need more pages than the TLB holds. It is only a hint.
func largePages(b []byte) {
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % largePage)
	if n := (len(b) - skip) / largePage * largePage; n > 0 {
		_ = syscall.Madvise(b[skip:skip+n], syscall.MADV_HUGEPAGE)
	}
}
