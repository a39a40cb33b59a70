package tensor

import (
	"syscall"
	"unsafe"
)

// largePage is the size of a large page where small ones have 4 KiB.
const largePage = 2 << 20

// largePages asks for large pages behind what of b consists of such. Kernels walk over rows that are far apart: of small
// pages they meet more than the processor remembers the addresses of. It is advice, which nothing depends on.
func largePages(b []byte) {
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % largePage)
	if n := (len(b) - skip) / largePage * largePage; n > 0 {
		_ = syscall.Madvise(b[skip:skip+n], syscall.MADV_HUGEPAGE)
	}
}
