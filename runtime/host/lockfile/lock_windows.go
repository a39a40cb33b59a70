package lockfile

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// errorLockViolation is ERROR_LOCK_VIOLATION.
const errorLockViolation = syscall.Errno(33)

// The flags LOCKFILE_EXCLUSIVE_LOCK and LOCKFILE_FAIL_IMMEDIATELY.
const lockExclusive, lockNow = 2, 1

// lockFileEx is not in package syscall, which has everything else that the call needs.
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

// isHeld reports whether an error of lock says that another process has the lock.
func isHeld(err error) bool { return errors.Is(err, errorLockViolation) }
