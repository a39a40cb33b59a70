//go:build unix

package rusage

import (
	"runtime"
	"syscall"
	"time"
)

// CPU returns the processor time of the process so far.
func CPU() time.Duration {
	u := get()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Memory returns the maximum memory of the process in bytes.
func Memory() uint64 {
	u := get()
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return uint64(u.Maxrss)
	}
	return uint64(u.Maxrss) << 10
}

// get returns the usage, which is zero if the system does not report it.
func get() (u syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u
}
