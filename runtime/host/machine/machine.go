// Package machine determines the resources of a process: memory, processors, open files and disk, as limited by
// containers and settings. An unknown resource is 0, except for the disk.
package machine

import (
	"io/fs"
	"math"
	"os"
	"runtime"
	"runtime/debug"
)

// Machine is the resources that a process may use.
type Machine struct {
	Memory      uint64  // bytes: of the machine, its container, or GOMEMLIMIT
	CPUs        float64 // processors, or the share of their time
	Descriptors uint64  // maximum number of open files and connections
}

// The assumed resources of a machine if they are unknown.
const (
	UsualMemory = 2 << 30
	UsualDisk   = 16 << 30
)

// Read determines the resources of the process.
func Read() Machine {
	m := read(os.DirFS("/"))
	m.Memory = least(m.Memory, goMemory())
	m.CPUs = float64(runtime.NumCPU())
	if q := quota(os.DirFS("/")); q > 0 {
		m.CPUs = min(m.CPUs, q)
	}
	m.Descriptors = descriptors()
	return m
}

func read(root fs.FS) Machine { return Machine{Memory: least(total(root), limit(root))} }

// Threads returns how many threads should compute: only whole processors count, since two threads that share
// less wait for each other. The environment variable GOMAXPROCS overrides it.
func (m *Machine) Threads() int {
	n := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") != "" || m.CPUs <= 0 {
		return n
	}
	return threads(n, m.CPUs)
}

func threads(most int, cpus float64) int { return max(1, min(most, int(cpus))) }

// LeaveRoom lets Go use one processor more than there are threads that compute, so that goroutines that talk to other
// processes run meanwhile, as the system divides the time of a processor. With as many, they wait until a computation ends
// or is interrupted, which Go does after 10 ms.
func LeaveRoom(threads int) {
	if runtime.GOMAXPROCS(0) <= threads {
		runtime.GOMAXPROCS(threads + 1)
	}
}

// Free returns how many bytes are free on the disk of a directory, which is 0 if it is full. It reports false if that is unknown.
func Free(dir string) (bytes uint64, ok bool) { return free(dir) }

// goMemory returns the value of GOMEMLIMIT.
func goMemory() uint64 {
	if n := debug.SetMemoryLimit(-1); n < math.MaxInt64 {
		return uint64(n)
	}
	return 0
}

// least returns the smaller of two limits, either of which may be unknown.
func least(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
