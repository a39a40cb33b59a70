package disk

import (
	"errors"
	"syscall"
)

// syncDir does nothing: the file system's journal makes names durable.
func syncDir(string) error { return nil }

// IsFull reports whether an error means that the disk is full: ERROR_HANDLE_DISK_FULL or ERROR_DISK_FULL.
func IsFull(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}

// IsReadOnly reports whether an error means that the file system is read-only: ERROR_WRITE_PROTECT.
func IsReadOnly(err error) bool { return errors.Is(err, syscall.Errno(19)) }

// NoDescriptors reports whether an error means that the process has too many open files:
// ERROR_TOO_MANY_OPEN_FILES.
func NoDescriptors(err error) bool { return errors.Is(err, syscall.Errno(4)) }
