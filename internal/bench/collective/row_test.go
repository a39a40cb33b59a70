package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/bench/collective/load"
)

// TestRow compares times with Gloo's, and traffic with its bar.
func TestRow(t *testing.T) {
	times := []time.Duration{4e6, 2e6, 3e6}
	fast := timed("all-reduce", 2, times)
	fast.beside([]time.Duration{6e6, 3e6, 9e6}, "auto", 1.3)
	slow := timed("all-reduce", 2, times)
	slow.beside([]time.Duration{3e6}, "auto", 1.3)
	told := timed("all-reduce", 2, times)
	told.beside([]time.Duration{3e6}, "ring", 1.3)
	for _, x := range []struct {
		row
		met any
	}{
		{fast, true}, {slow, false}, {told, nil},
		{row{Value: 1.004, Bound: "≤", Bar: 1.005}, true},
		{row{Value: 1.006, Bound: "≤", Bar: 1.005}, false},
	} {
		var out bytes.Buffer
		b := bench{out: json.NewEncoder(&out)}
		if err := b.add(x.row); err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if got["met"] != x.met || x.Unit != "" && (got["value"] != 3.0 || got["best"] != 2.0) {
			t.Errorf("got %s, want met: %v", &out, x.met)
		}
	}
	if fast.Gloo != 6 || fast.OverGloo != 2 {
		t.Errorf("got %+v, want twice as fast as Gloo's 6 ms", fast)
	}
}

// TestPlan finds the step of each round.
func TestPlan(t *testing.T) {
	p := load.Plan{Steps: []load.Step{{Elements: 1, Rounds: 2}, {Elements: 2, Rounds: 3}}}
	if p.Rounds() != 5 {
		t.Errorf("%d rounds, want 5", p.Rounds())
	}
	for round, want := range []struct {
		elements int
		at       int64
	}{{1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}} {
		if s, at := p.Of(int64(round)); s.Elements != want.elements || at != want.at {
			t.Errorf("round %d is %d of %d elements, want %v", round, at, s.Elements, want)
		}
	}
	if s, _ := p.Of(5); s != nil {
		t.Errorf("round 5 is of %+v, want none", s)
	}
}

// TestLastStep reads the last complete line of a file that is being written.
func TestLastStep(t *testing.T) {
	file := filepath.Join(t.TempDir(), "metrics")
	for text, want := range map[string]int{"": 0, "{": 0, `{"step":3}` + "\n": 3, `{"step":3}` + "\n" + `{"step":4}` + "\n" + `{"st`: 4} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := lastStep(file); err != nil || got != want {
			t.Errorf("%q: step %d (%v), want %d", text, got, err, want)
		}
	}
	if got, err := lastStep(file + "2"); err != nil || got != 0 {
		t.Errorf("without a file: step %d (%v), want 0", got, err)
	}
}

// A rank has processors of its own, and its program may have any name.
func TestOnProcessors(t *testing.T) {
	want := "#!/bin/sh\nexport GOMAXPROCS=2\nexec taskset -c 4-5 '/a b/it'\\''s' \"$@\"\n"
	if got := onProcessors(4, 2, "/a b/it's"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
