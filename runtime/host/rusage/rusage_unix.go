//go:build unix

package rusage

import (
	"runtime"
	"syscall"
	"time"
)

// CPU returns the processor time of the process so far.
func CPU() time.Duration {
	return total(get(syscall.RUSAGE_SELF))
}

// Children returns the processor time of all children of the process that have ended, and of theirs.
func Children() time.Duration {
	return total(get(syscall.RUSAGE_CHILDREN))
}

// total returns the time in programs and in the system.
func total(u syscall.Rusage) time.Duration { return time.Duration(u.Utime.Nano() + u.Stime.Nano()) }

// Memory returns the maximum memory of the process in bytes.
func Memory() uint64 {
	u := get(syscall.RUSAGE_SELF)
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return uint64(u.Maxrss)
	}
	return uint64(u.Maxrss) << 10
}

// get returns the usage, which is zero if the system does not report it.
func get(who int) (u syscall.Rusage) {
	_ = syscall.Getrusage(who, &u)
	return u
}
