//go:build unix

package lockfile

import (
	"errors"
	"os"
	"syscall"
)

// lock takes a lock that ends with the process.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// isHeld reports whether an error of lock says that another process has the lock.
func isHeld(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }
