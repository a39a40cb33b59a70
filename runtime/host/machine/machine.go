// Package machine says what the machine gives a process: memory, processors, open files
// and disk, as containers and settings limit them. What cannot be found out is 0.
package machine

import (
	"io/fs"
	"math"
	"os"
	"runtime"
	"runtime/debug"
)

// Machine is what a process may use.
type Machine struct {
	Memory      uint64  // bytes: of the machine, its container, or GOMEMLIMIT
	CPUs        float64 // processors, or the share of their time
	Descriptors uint64  // files and connections that may be open
}

// What a machine is taken to have of which nobody knows how much it has.
const (
	UsualMemory = 2 << 30
	UsualDisk   = 16 << 30
)

// Read finds out what the process may use.
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

// Threads is how many threads may compute: whole processors alone, since two that share
// less wait for each other. The environment variable GOMAXPROCS decides if it is set.
func (m *Machine) Threads() int {
	n := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") != "" || m.CPUs <= 0 {
		return n
	}
	return threads(n, m.CPUs)
}

func threads(most int, cpus float64) int { return max(1, min(most, int(cpus))) }

// Free is how many bytes may still be written to the disk of a directory; 0 if nobody
// knows.
func Free(dir string) uint64 { return free(dir) }

// goMemory is what GOMEMLIMIT says.
func goMemory() uint64 {
	if n := debug.SetMemoryLimit(-1); n < math.MaxInt64 {
		return uint64(n)
	}
	return 0
}

// least is the smaller of two limits that may not be known.
func least(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
