package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bbgen/bbgen/examples/dataparallel/program"
	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/examples/internal/fresh"
	"github.com/bbgen/bbgen/runtime/host/sim"

	worker "github.com/bbgen/bbgen/examples/dataparallel/peer/worker/partition"
)

func TestFresh(t *testing.T) { fresh.Check(t, program.Program()) }

// TestRun kills a worker and starts it again. All have the same bits after each step that they make, and
// classify digits at the end.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("trains eight processes")
	}
	var out bytes.Buffer
	if err := run(&out); err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var r result
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatal(err)
	}
	if r.Workers != program.Workers || r.Killed != 1 || r.Entered <= killAfter || r.Steps != program.Steps || !r.Same || r.Accuracy < 0.9 {
		t.Errorf("got %+v", r)
	}
}

// TestTiming trains in the simulator, on a reliable network and on one that loses, duplicates and delays
// messages. The parameters have the same bits after each step, on each peer and in both networks.
func TestTiming(t *testing.T) {
	if testing.Short() {
		t.Skip("trains eight peers twice")
	}
	data := t.TempDir()
	if err := drawn.Write(data, 2000, 200); err != nil {
		t.Fatal(err)
	}
	calm := simulated(t, data)
	for step, hash := range simulated(t, data, "-seed", "1", "-chaos", "loss=5%,duplicate=5%,delay=20ms") {
		if hash != calm[step] {
			t.Fatalf("step %d: the parameters differ from those on a calm network", step)
		}
	}
}

// simulated returns the parameters after each step of a simulated run, as hashes. They must be the same on
// all peers.
func simulated(t *testing.T, data string, args ...string) map[int]string {
	t.Helper()
	p := sim.Program{Name: "dataparallel", Classes: []sim.Class{{Name: "worker", Partition: worker.Default}}}
	var out bytes.Buffer
	if err := sim.Do(p, append([]string{"-n", "worker=8", "-data", data}, args...), &out, &out); err != nil {
		t.Fatal(err)
	}
	steps, models := map[int]int{}, map[int]string{}
	for line := range bytes.Lines(out.Bytes()) {
		var m struct {
			Rank       int
			Name, Hash string
		}
		if json.Unmarshal(line, &m) != nil || m.Name != "model" {
			continue
		}
		if m.Hash == "" {
			t.Fatalf("peer %d tells no hash of its parameters: %s", m.Rank, line)
		}
		step := steps[m.Rank]
		steps[m.Rank]++
		if models[step] == "" {
			models[step] = m.Hash
		}
		if m.Hash != models[step] {
			t.Fatalf("step %d: peer %d has other parameters", step, m.Rank)
		}
	}
	if len(models) != program.Steps {
		t.Fatalf("%d steps, want %d\n%.2000s", len(models), program.Steps, out.Bytes())
	}
	return models
}
