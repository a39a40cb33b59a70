package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// peak returns the largest memory of a process so far, in MiB.
func peak(pid int) (float64, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "VmHWM:"); ok {
			var kb float64
			_, err := fmt.Sscan(rest, &kb)
			return kb / 1024, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status: no VmHWM", pid)
}

// busy returns the processor time of a process so far: that of its threads. It is exact, unlike that in /proc/PID/stat, which
// counts hundredths of a second. Go's threads rarely end.
func busy(pid int) (d time.Duration, err error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err == nil && len(threads) == 0 {
		err = fmt.Errorf("/proc/%d/task: no thread has a schedstat", pid)
	}
	if err != nil {
		return 0, err
	}
	for _, name := range threads {
		b, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		var ns int64
		if _, err := fmt.Sscan(string(b), &ns); err != nil {
			return 0, fmt.Errorf("%s: %q", name, b)
		}
		d += time.Duration(ns)
	}
	return d, nil
}

// loopback returns the number of bytes sent over the machine's loopback, including the headers of TCP and IP.
func loopback() (int64, error) {
	b, err := os.ReadFile("/sys/class/net/lo/statistics/tx_bytes")
	if err != nil {
		return 0, err
	}
	var n int64
	_, err = fmt.Sscan(string(b), &n)
	return n, err
}
