//go:build !purego

package cpu

import "syscall"

// allowTiles asks Linux to save tiles when it switches threads, which it does only for processes that ask.
//
// https://docs.kernel.org/arch/x86/xstate.html
func allowTiles() bool {
	const (
		requestPermission = 0x1023 // ARCH_REQ_XCOMP_PERM
		tileData          = 18     // XFEATURE_XTILEDATA
	)
	_, _, failed := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return failed == 0
}
