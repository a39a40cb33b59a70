package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// engine measures the engine alone, with the benchmarks of package enginetest.
func (b *bench) engine() error {
	tests, err := b.tests()
	if err != nil {
		return err
	}
	cmd := exec.Command(tests, "-test.run", "^$", "-test.bench", "^Benchmark(Deliver|Block)$", "-test.benchmem", "-test.benchtime", "500ms", "-test.count", "5")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", tests, err, out)
	}
	found := benchmarks(string(out))
	for _, x := range []struct {
		benchmark, unit string
		row
	}{
		{"Deliver", "fills/cpu-s", row{Figure: "fills of 64 bytes through one engine, each with an answer, in a second of one core", Bound: "≥", Bar: 2e6, Unit: "fills", Others: "etcd's raft: 1.08 M messages"}},
		{"Deliver", "allocs/op", row{Figure: "allocations of 4096 such fills", Bound: "≤", Unit: "allocations", Others: "etcd's raft: 17 for a proposal"}},
		{"Block", "cpu-ns/block", row{Figure: "a block, beside what it does", Bound: "≤", Bar: 100, Unit: "ns"}},
	} {
		list := found[x.benchmark][x.unit]
		if list == nil {
			return fmt.Errorf("%s: Benchmark%s reports no %s:\n%s", tests, x.benchmark, x.unit, out)
		}
		slices.Sort(list)
		if x.Value, x.Best = list[len(list)/2], list[0]; x.Bound == "≥" {
			x.Best = list[len(list)-1]
		}
		b.add(x.row)
	}
	return nil
}

var result = regexp.MustCompile(`(?m)^Benchmark(\w+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// benchmarks parses the output of go test -bench: for each benchmark and unit, the figures of all runs.
func benchmarks(out string) map[string]map[string][]float64 {
	found := map[string]map[string][]float64{}
	for _, m := range result.FindAllStringSubmatch(out, -1) {
		name, fields := m[1], strings.Fields(m[2])
		if found[name] == nil {
			found[name] = map[string][]float64{}
		}
		for i := 0; i+1 < len(fields); i += 2 {
			if x, err := strconv.ParseFloat(fields[i], 64); err == nil {
				found[name][fields[i+1]] = append(found[name][fields[i+1]], x)
			}
		}
	}
	return found
}
