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
	advise(b, largePage, syscall.MADV_HUGEPAGE)
}

// forgo says that b is hardly read any more: if memory is short, its pages go first.
func forgo(b []byte) {
	const cold = 20 // MADV_COLD
	advise(b, syscall.Getpagesize(), cold)
}

// advise gives a hint for the pages that b touches, of a size that is a power of two.
func advise(b []byte, page int, hint uintptr) {
	from, size := uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(page)
	to := (from + uintptr(len(b)) + size - 1) &^ (size - 1)
	from &^= size - 1
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, hint)
}
