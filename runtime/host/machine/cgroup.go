package machine

import (
	"bufio"
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// total returns the memory of the machine, according to Linux.
func total(root fs.FS) uint64 {
	b, _ := fs.ReadFile(root, "proc/meminfo")
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		if f := strings.Fields(s.Text()); len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			n, _ := strconv.ParseUint(f[1], 10, 54)
			return n << 10
		}
	}
	return 0
}

// unlimited is the size from which on a memory limit means none: version 1 has no word for that.
const unlimited = 1 << 60

// limit returns the memory limit of the process's control groups.
func limit(root fs.FS) (all uint64) {
	for _, dir := range groups(root, "memory") {
		for _, name := range []string{"memory.max", "memory.limit_in_bytes"} {
			if n := numbers(root, path.Join(dir, name)); len(n) > 0 && n[0] > 0 && n[0] < unlimited {
				all = least(all, uint64(n[0]))
			}
		}
	}
	return all
}

// quota returns the processor quota of the process's control groups; 0: none.
func quota(root fs.FS) (cpus float64) {
	take := func(quota, period int64) {
		if quota > 0 && period > 0 {
			if q := float64(quota) / float64(period); cpus == 0 || q < cpus {
				cpus = q
			}
		}
	}
	for _, dir := range groups(root, "cpu") {
		if n := numbers(root, path.Join(dir, "cpu.max")); len(n) == 2 {
			take(n[0], n[1])
		}
		q, p := numbers(root, path.Join(dir, "cpu.cfs_quota_us")), numbers(root, path.Join(dir, "cpu.cfs_period_us"))
		if len(q) == 1 && len(p) == 1 {
			take(q[0], p[0])
		}
	}
	return cpus
}

// numbers reads a file of numbers. The word max is -1.
func numbers(root fs.FS, file string) (list []int64) {
	b, err := fs.ReadFile(root, file)
	if err != nil {
		return nil
	}
	for _, w := range strings.Fields(string(b)) {
		n, err := strconv.ParseInt(w, 10, 64)
		switch {
		case w == "max":
			n = -1
		case err != nil:
			return nil
		}
		list = append(list, n)
	}
	return list
}

// groups returns the directories of the process's control groups for a controller, from its own up to the root.
// Each of them limits it.
func groups(root fs.FS, controller string) (dirs []string) {
	b, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(b)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		at := "sys/fs/cgroup"
		if part[1] != "" { // version 1
			if !slices.Contains(strings.Split(part[1], ","), controller) {
				continue
			}
			at = path.Join(at, part[1])
		}
		for p := path.Clean("/" + part[2]); ; p = path.Dir(p) {
			dirs = append(dirs, path.Join(at, p))
			if p == "/" {
				break
			}
		}
	}
	return dirs
}
