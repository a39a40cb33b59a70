//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes a rename in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// IsFull reports whether an error means that the disk is full.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// IsReadOnly reports whether an error means that the file system is read-only.
func IsReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// NoDescriptors reports whether an error means that the process, or the machine, has too many open files.
func NoDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
