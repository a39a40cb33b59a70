package machine

import (
	"runtime"
	"testing"
	"testing/fstest"
)

func tree(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// The limits of a process are read correctly in both versions of control groups.
func TestLimits(t *testing.T) {
	const meminfo = "MemTotal:       16384 kB\nMemFree:         1 kB\n"
	for name, tt := range map[string]struct {
		files  map[string]string
		memory uint64
		cpus   float64
	}{
		"nothing": {nil, 0, 0},
		"machine": {map[string]string{"proc/meminfo": meminfo}, 16 << 20, 0},
		"version 2": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1048576\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/cpu.max": "150000 100000\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"}, 1 << 20, 1.5},
		"version 2, in a container": {map[string]string{"proc/self/cgroup": "0::/../x\n", "sys/fs/cgroup/memory.max": "4096\n", "sys/fs/cgroup/cpu.max": "50000 100000"}, 4096, 0.5},
		"version 1": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/p\n2:cpu,cpuacct:/p\n0::/\n",
			"sys/fs/cgroup/memory/p/memory.limit_in_bytes": "2097152\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/cpu,cpuacct/p/cpu.cfs_quota_us": "250000\n", "sys/fs/cgroup/cpu,cpuacct/p/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n"}, 2 << 20, 2.5},
		"nonsense": {map[string]string{"proc/meminfo": "MemTotal: many kB", "proc/self/cgroup": "0::\n::\nx", "sys/fs/cgroup/memory.max": "lots", "sys/fs/cgroup/cpu.max": "1"}, 0, 0},
	} {
		root := tree(tt.files)
		if m := read(root); m.Memory != tt.memory {
			t.Errorf("%s: %d bytes of memory, want %d", name, m.Memory, tt.memory)
		}
		if q := quota(root); q != tt.cpus {
			t.Errorf("%s: %v processors, want %v", name, q, tt.cpus)
		}
	}
}

// With less than two whole processors there is one thread, although Go has two.
func TestThreads(t *testing.T) {
	for _, tt := range []struct {
		most int
		cpus float64
		want int
	}{{2, 0.5, 1}, {2, 1.9, 1}, {2, 2, 2}, {8, 3.5, 3}, {4, 8, 4}, {1, 1, 1}} {
		if got := threads(tt.most, tt.cpus); got != tt.want {
			t.Errorf("%d of Go's on %v processors: %d threads, want %d", tt.most, tt.cpus, got, tt.want)
		}
	}
}

// There are more processors of Go than threads that compute.
func TestLeaveRoom(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, tt := range []struct{ threads, want int }{{1, 2}, {1, 2}, {3, 4}, {2, 4}} {
		if LeaveRoom(tt.threads); runtime.GOMAXPROCS(0) != tt.want {
			t.Errorf("beside %d threads Go uses %d processors, want %d", tt.threads, runtime.GOMAXPROCS(0), tt.want)
		}
	}
}

func FuzzNumbers(f *testing.F) {
	f.Add("max 100000", "0::/a", "MemTotal: 1 kB")
	f.Fuzz(func(t *testing.T, numbers, group, memory string) {
		root := tree(map[string]string{"proc/self/cgroup": group, "proc/meminfo": memory, "sys/fs/cgroup/cpu.max": numbers, "sys/fs/cgroup/memory.max": numbers})
		read(root)
		if q := quota(root); q < 0 {
			t.Errorf("%v processors", q)
		}
	})
}
