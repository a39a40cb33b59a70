package peer

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

const (
	modesCount = false
	unlinks    = false
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

// syncDir does nothing: the file system's journal keeps names.
func syncDir(string) error { return nil }

// noRoom reports whether something could not be written as the disk is full: Windows
// says ERROR_HANDLE_DISK_FULL or ERROR_DISK_FULL.
func noRoom(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}
