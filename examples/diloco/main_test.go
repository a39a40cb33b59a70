package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bbgen/bbgen/examples/diloco/program"
	"github.com/bbgen/bbgen/examples/internal/simulated"

	worker "github.com/bbgen/bbgen/examples/diloco/peer/worker/partition"
)

// TestRun trains. All workers have the same bits of the joint parameters after each round, send a twentieth of the bytes that
// gradients of each step would need, and classify digits.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four processes")
	}
	r := trained(t, 0)
	if r.Workers != program.Workers || r.Rounds != program.Rounds || !r.Same || r.Accuracy < 0.9 || r.Over > 1.1/program.Steps {
		t.Errorf("got %+v", r)
	}
}

// TestKilled kills a worker with kill -9, within its round. The others have the same bits after each round all the same,
// and classify digits.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four processes, and kills one")
	}
	r := trained(t, 4)
	if r.Workers != program.Workers-1 || r.Rounds != program.Rounds || !r.Same || r.Accuracy < 0.9 {
		t.Errorf("got %+v", r)
	}
}

// trained is the last line of a training in which a worker is killed after so many rounds; 0: none is.
func trained(t *testing.T, kill int) (r result) {
	t.Helper()
	var out bytes.Buffer
	if err := run(&out, kill); err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTiming trains in the simulator, on a reliable network and on networks that lose, duplicate and delay
// messages. The common parameters have the same bits after each round, on each peer and in all networks.
func TestTiming(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four peers three times")
	}
	training := simulated.Training{Name: "diloco", Partition: worker.Default, Workers: program.Workers, Steps: program.Rounds}
	training.Timing(t, "loss=5%,duplicate=5%,delay=20ms", "loss=20%,duplicate=20%,delay=5ms")
}
