package peer

import (
	"errors"
	"syscall"
)

const (
	modesCount = false
	unlinks    = false
)

// syncDir does nothing: the file system's journal keeps names.
func syncDir(string) error { return nil }

// noRoom reports whether something could not be written as the disk is full: Windows
// says ERROR_HANDLE_DISK_FULL or ERROR_DISK_FULL.
func noRoom(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}
