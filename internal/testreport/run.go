package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// An event is a line of go test -json; see go doc test2json.
type event struct {
	Action     string
	Package    string
	ImportPath string // of what was being built, for the actions build-output and build-fail
	Test       string
	Output     string
	Elapsed    float64 // seconds, of a test or a package that has ended
}

// A test is named by its package and its name.
type test struct{ pkg, name string }

// A run is what was read of a run of go test.
type run struct {
	out    *bufio.Writer
	output map[test][]string // of tests that have not ended, and of packages: their name is empty
	skips  map[string][]test // by reason
	slow   []timed
	failed bool
}

// A timed test took more than a second.
type timed struct {
	test
	seconds float64
}

func newRun(out io.Writer) *run {
	return &run{out: bufio.NewWriter(out), output: make(map[test][]string), skips: make(map[string][]test)}
}

// read reads all events. Lines that are none, such as messages of the go command, are printed.
func (r *run) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Action == "" {
			fmt.Fprintln(r.out, lines.Text())
			continue
		}
		r.take(e)
	}
	return lines.Err()
}

func (r *run) take(e event) {
	t := test{e.Package, e.Test}
	if e.Elapsed > 1 && e.Test != "" && !strings.Contains(e.Test, "/") {
		r.slow = append(r.slow, timed{t, e.Elapsed})
	}
	switch e.Action {
	case "build-output":
		r.out.WriteString(e.Output)
	case "build-fail":
		r.failed = true
	case "output":
		r.output[t] = append(r.output[t], e.Output)
	case "pass":
		r.end(t, false)
	case "fail":
		r.failed = true
		r.end(t, true)
	case "skip":
		if e.Test != "" {
			reason := skipReason(r.output[t])
			r.skips[reason] = append(r.skips[reason], t)
		}
		r.end(t, false)
	}
}

// end prints what remains to be said of a test or package that has ended: of a test that failed everything, of a package
// its last line.
func (r *run) end(t test, failed bool) {
	lines := r.output[t]
	delete(r.output, t)
	if t.name == "" && !failed && len(lines) > 0 {
		lines = lines[len(lines)-1:]
	}
	if failed || t.name == "" {
		for _, line := range lines {
			if !strings.HasPrefix(line, "=== ") {
				r.out.WriteString(line)
			}
		}
	}
	if t.name == "" {
		r.out.Flush()
	}
}

// skipReason returns what a skipped test printed, without the places and the framework's own lines, in one line.
func skipReason(output []string) string {
	var said []string
	for _, line := range output {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- SKIP: ") {
			continue
		}
		if place, rest, ok := strings.Cut(line, ": "); ok && strings.Contains(place, ".go:") {
			line = rest
		}
		said = append(said, line)
	}
	return strings.Join(said, " ")
}

// printSkips lists the skipped tests by their reasons, and reports whether a reason is not known.
func (r *run) printSkips(known reasons) (unknown bool) {
	for _, reason := range slices.Sorted(maps.Keys(r.skips)) {
		for _, t := range r.skips[reason] {
			note := ""
			if !known.match(t, reason) {
				note, unknown = "UNKNOWN REASON: ", true
			}
			fmt.Fprintf(r.out, "skipped: %s%s %s: %s\n", note, t.pkg, t.name, reason)
		}
	}
	return unknown
}

// printSlow lists the n tests that took the longest.
func (r *run) printSlow(n int) {
	slices.SortStableFunc(r.slow, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range r.slow[:min(n, len(r.slow))] {
		fmt.Fprintf(r.out, "slow: %.0f s %s %s\n", t.seconds, t.pkg, t.name)
	}
}
