package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/bbgen/bbgen/examples/private/program"
)

// The model file contains the network that is written in Go.
func TestNetwork(t *testing.T) {
	const file = "program/reader.onnx"
	want, err := program.Network()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("BBGEN_UPDATE") == "1" {
		if err := os.WriteFile(file, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what program.Network makes (%v): BBGEN_UPDATE=1 go test writes it", file, err)
	}
}

// federated is the last line of a run.
func federated(t *testing.T, noise float64, chaos string) result {
	t.Helper()
	var out bytes.Buffer
	if err := run(&out, noise, 1e-3, chaos); err != nil {
		t.Fatal(err)
	}
	var r result
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	if r.Rounds != program.Rounds {
		t.Errorf("%d rounds, want %d\n%s", r.Rounds, program.Rounds, out.Bytes())
	}
	return r
}

// TestRun tests that sums with noise lead to a model that classifies many digits, and that epsilon is that of
// dp-accounting for twelve rounds with a noise of 1.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("trains twenty peers")
	}
	r := federated(t, program.Noise, "kill=5%")
	if r.Accuracy < 0.6 || r.Epsilon == nil || math.Abs(*r.Epsilon-15.995) > 0.01*15.995 {
		t.Errorf("%+v (%v), want an accuracy of 0.6 and an epsilon of 15.995", r, r.Epsilon)
	}
}

// TestFaults tests that the sums of masked vectors are right if many peers are killed, at any step of a
// round, and messages are lost.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("trains twenty peers")
	}
	if r := federated(t, 0, "kill=20%,loss=5%"); r.Accuracy < 0.78 || r.Clients >= program.Clients || r.Epsilon != nil {
		t.Errorf("%+v, want an accuracy of 0.78, fewer than %d clients in the last sum, and no epsilon", r, program.Clients)
	}
}
