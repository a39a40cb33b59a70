package tensor

import "syscall"

// hasLargePages tells whether this system may give large pages to whoever requests them.
const hasLargePages = true

// requestLargePages requests large pages for memory that consists of whole ones. Kernels access rows that are far apart; with
// small pages they need more pages than the TLB holds. It is only a hint.
func requestLargePages(b []byte) {
	if len(b) > 0 {
		_ = syscall.Madvise(b, syscall.MADV_HUGEPAGE)
	}
}
