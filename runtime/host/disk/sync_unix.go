//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes a rename in a directory survive.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// IsFull reports whether something could not be written as the disk is full.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// IsReadOnly reports whether something could not be written as the file system may
// only be read.
func IsReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// NoDescriptors reports whether a file could not be opened as the process, or the
// machine, has too many open.
func NoDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
