package program_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/sim"

	"github.com/bbgen/bbgen/generated_test/program/wide"
	collector "github.com/bbgen/bbgen/generated_test/program/wide/peer/collector/partition"
	source "github.com/bbgen/bbgen/generated_test/program/wide/peer/source/partition"
)

var wideProgram = sim.Program{Name: "wide", Classes: []sim.Class{
	{Name: "collector", Partition: collector.Default}, {Name: "source", Partition: source.Default},
}}

// TestWide runs a module with a hundred cut points and blocks, with lost messages and crashes. Each value
// arrives once, and the sum includes all.
func TestWide(t *testing.T) {
	for seed := range 5 {
		lines, _ := run(t, wideProgram, "-seed", fmt.Sprint(seed), "-chaos", "loss=10%,faults=4")
		told := map[string]map[string]bool{}
		for _, l := range lines {
			if l.Class == "collector" && l.Event == "" && l.Name != "" {
				if told[l.Name] == nil {
					told[l.Name] = map[string]bool{}
				}
				told[l.Name][string(l.Value)] = true // it may be reported again after a crash
			}
		}
		for i := range wide.Edges {
			wantRounds(t, told, fmt.Sprint("y", i), func(round int) string { return fmt.Sprintf("[%d]", round+i) })
		}
		wantRounds(t, told, "sum", func(round int) string { return fmt.Sprint(wide.Edges*round + wide.Edges*(wide.Edges-1)/2) })
	}
}

// wantRounds checks that the values with a name are one value for each round, and no others.
func wantRounds(t *testing.T, told map[string]map[string]bool, name string, value func(round int) string) {
	t.Helper()
	for round := range wide.Rounds {
		if want := value(round); !told[name][want] {
			t.Errorf("%s: %s of round %d was not told", name, want, round)
		}
	}
	if got := len(told[name]); got != wide.Rounds {
		b, _ := json.Marshal(told[name])
		t.Errorf("%s: got %s, want %d values", name, b, wide.Rounds)
	}
}
