//go:build unix

package rusage

import (
	"runtime"
	"syscall"
	"time"
)

// CPU returns the time of processors that the process has used so far.
func CPU() time.Duration {
	u := get()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Memory returns how many bytes of memory the process has had at most.
func Memory() uint64 {
	u := get()
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return uint64(u.Maxrss)
	}
	return uint64(u.Maxrss) << 10
}

func get() (u syscall.Rusage) {
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return syscall.Rusage{}
	}
	return u
}
