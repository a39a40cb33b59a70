package main

import (
	"bufio"
	"fmt"
	"os"
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

// busy returns the processor time of a process so far.
func busy(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(b), ") ") // the name may contain blanks
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat: %q", pid, b)
	}
	var user, system int64
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		return 0, err
	}
	return time.Duration(user+system) * tick, nil
}

const tick = time.Second / 100

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
