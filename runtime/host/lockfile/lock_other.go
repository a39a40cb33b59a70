//go:build !unix && !windows

package lockfile

import (
	"errors"
	"os"
)

// NB: without locks two processes may use one folder, and disturb each other.
func lock(*os.File) error { return errors.ErrUnsupported }

// isHeld reports whether an error of lock says that another process has the lock.
func isHeld(error) bool { return false }
