// Package program_test runs distributed programs under faults. That their peers are what bbgen generates is tested in
// the folder of each program.
package program_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/sim"

	announcer "github.com/bbgen/bbgen/generated_test/program/everything/peer/announcer/partition"
	registry "github.com/bbgen/bbgen/generated_test/program/everything/peer/registry/partition"
	worker "github.com/bbgen/bbgen/generated_test/program/everything/peer/worker/partition"
)

// line is the simulator's line for an event. The value of a scalar is its one element.
type line struct {
	Class, Name, Event, Error, Type, Hash string
	Rank                                  int
	Round                                 uint64
	Value                                 json.RawMessage
}

var everything = sim.Program{Name: "everything", Classes: []sim.Class{
	{Name: "announcer", Partition: announcer.Default}, {Name: "registry", Partition: registry.Default}, {Name: "worker", Partition: worker.Default},
}}

// run runs a program and returns its events.
func run(t *testing.T, p sim.Program, args ...string) (lines []line, text string) {
	t.Helper()
	var out bytes.Buffer
	if err := sim.Do(p, args, &out, &out); err != nil {
		t.Fatal(err)
	}
	for b := range bytes.Lines(out.Bytes()) {
		var l line
		if err := json.Unmarshal(b, &l); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if n := len(l.Value) - 1; n > 1 && strings.HasSuffix(l.Type, "[]") {
			l.Value = l.Value[1:n]
		}
		lines = append(lines, l)
	}
	return lines, out.String()
}

// TestRun tests that each service does what its name says.
func TestRun(t *testing.T) {
	lines, _ := run(t, everything, "-n", "worker=3", "-for", "12s")
	count := map[string]int{}
	for _, l := range lines {
		if l.Error != "" {
			t.Errorf("%s %d: %s: %s", l.Class, l.Rank, l.Event, l.Error)
		}
		count[l.Class+"."+l.Name]++
		switch l.Name {
		case "in_time":
			if string(l.Value) != "false" {
				t.Errorf("what takes two seconds came within one: %s", l.Value)
			}
		case "half", "coded":
			if !strings.Contains("[1,2,3] [2,4,6] [4,8,12]", string(l.Value)) {
				t.Errorf("%s is %s, want what half precision holds", l.Name, l.Value)
			}
		case "small":
			var x []float64
			if err := json.Unmarshal(l.Value, &x); err != nil || len(x) != 3 || x[2] < 1.59 || x[2] > 1.62 {
				t.Errorf("a vector of norm 2 is %s, want about [0.53,1.07,1.6]", l.Value)
			}
		}
	}
	for name, want := range map[string]int{
		"worker.self": 3, "worker.ids": 3, "worker.done": 3, // once each
		"worker.p0": 27, "worker.p1": 27, // three rounds from each to each
		"registry.coded": 9, "registry.small": 9, "registry.half": 9,
		"worker.clock": 33, "worker.slept": 33, // each second, except for the last answer
		"worker.held": 18, "worker.first": 18, "registry.announced": 11,
	} {
		if got := count[name]; got != want {
			t.Errorf("%s: told %d times, want %d", name, got, want)
		}
	}
}

// TestFaults loses messages and crashes peers. The same seed gives the same run, and each message arrives
// once.
func TestFaults(t *testing.T) {
	for seed := range 20 {
		args := []string{"-n", "worker=3", "-for", "12s", "-seed", fmt.Sprint(seed), "-chaos", "loss=10%,faults=6"}
		lines, first := run(t, everything, args...)
		if _, second := run(t, everything, args...); first != second {
			t.Fatalf("seed %d: the second run differs", seed)
		}
		coded := 0
		for _, l := range lines {
			if l.Class == "registry" && l.Name == "half" {
				coded++
			}
		}
		if coded < 9 { // events may be reported again after a crash, values are never lost
			t.Errorf("seed %d: the registry got %d of 9 values", seed, coded)
		}
	}
}
