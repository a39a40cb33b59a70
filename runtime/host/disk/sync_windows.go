package disk

import (
	"errors"
	"syscall"
)

// syncDir does nothing: the file system's journal keeps names.
func syncDir(string) error { return nil }

// IsFull reports whether something could not be written as the disk is full: Windows
// says ERROR_HANDLE_DISK_FULL or ERROR_DISK_FULL.
func IsFull(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}

// IsReadOnly reports whether something could not be written as the file system may
// only be read: ERROR_WRITE_PROTECT.
func IsReadOnly(err error) bool { return errors.Is(err, syscall.Errno(19)) }

// NoDescriptors reports whether a file could not be opened as the process has too
// many open: ERROR_TOO_MANY_OPEN_FILES.
func NoDescriptors(err error) bool { return errors.Is(err, syscall.Errno(4)) }
