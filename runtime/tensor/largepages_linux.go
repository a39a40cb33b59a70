package tensor

import (
	"syscall"
	"unsafe"
)

// hasLargePages tells whether this system may give large pages to whoever requests them.
const hasLargePages = true

// requestLargePages requests large pages where b lies. Kernels access rows that are far apart; with small pages they need more pages
// than the TLB holds. It is only a hint, and concerns what else is in these pages as well: buffers made one after the other share them.
func requestLargePages(b []byte) {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	to := from + uintptr(len(b))
	from, to = from/largePage*largePage, (to+largePage-1)/largePage*largePage
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
