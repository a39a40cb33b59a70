package lockfile

import (
	"os"
	"syscall"
	"unsafe"
)

// What the lock is like, in Windows' words: LOCKFILE_EXCLUSIVE_LOCK and
// LOCKFILE_FAIL_IMMEDIATELY.
const lockExclusive, lockNow = 2, 1

// lockFileEx is not in package syscall, which has all that calling it takes.
var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// lock takes a lock that ends with the process.
func lock(f *os.File) error {
	var at syscall.Overlapped
	ok, _, err := lockFileEx.Call(f.Fd(), lockExclusive|lockNow, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	if ok == 0 {
		return err
	}
	return nil
}
