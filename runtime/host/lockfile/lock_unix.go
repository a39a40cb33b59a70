//go:build unix

package lockfile

import (
	"os"
	"syscall"
)

// lock takes a lock that ends with the process.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
