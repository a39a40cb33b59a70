package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bbgen/bbgen/examples/dataparallel/program"
	"github.com/bbgen/bbgen/examples/internal/simulated"

	worker "github.com/bbgen/bbgen/examples/dataparallel/peer/worker/partition"
)

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
	training := simulated.Training{Name: "dataparallel", Partition: worker.Default, Workers: program.Workers, Steps: program.Steps}
	training.Timing(t, "loss=5%,duplicate=5%,delay=20ms")
}
