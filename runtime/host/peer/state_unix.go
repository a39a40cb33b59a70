//go:build unix

package peer

import (
	"errors"
	"os"
	"syscall"
)

// modesCount says that the permission bits of files mean something here.
const modesCount = true

// unlinks says that a file may lose its name while it is open.
const unlinks = true

// syncDir makes a rename in a directory survive.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// noRoom reports whether something could not be written as the disk is full.
func noRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
