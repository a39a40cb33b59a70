package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/sim"

	station "github.com/bbgen/bbgen/examples/quickstart/peer/station/partition"
	thermometer "github.com/bbgen/bbgen/examples/quickstart/peer/thermometer/partition"
)

// TestRun runs the two peers as processes.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	var out bytes.Buffer
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var r result
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatalf("%s: %v", out.Bytes(), err)
	}
	if r.Readings != 5 {
		t.Errorf("%d readings, want 5", r.Readings)
	}
}

// TestSim runs three thermometers in the simulator, twice, with the same events.
func TestSim(t *testing.T) {
	p := sim.Program{Name: "quickstart", Classes: []sim.Class{
		{Name: "station", Partition: station.Default}, {Name: "thermometer", Partition: thermometer.Default},
	}}
	var first, second bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := sim.Do(p, []string{"-n", "thermometer=3", "-chaos", "loss=20%", "-seed", "7"}, w, w); err != nil {
			t.Fatal(err)
		}
	}
	if n := bytes.Count(first.Bytes(), []byte(`"fahrenheit"`)); n != 15 {
		t.Errorf("the station tells %d temperatures, want 15", n)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the second run differs")
	}
}
