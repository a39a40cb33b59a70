package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/examples/robust/program"
)

// TestRun tests that the median and Krum give a model that classifies digits, and the mean does not.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("trains eight peers three times")
	}
	var out bytes.Buffer
	if err := run(&out, 10, ""); err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var r struct{ Mean, Median, Krum float64 }
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatal(err)
	}
	if r.Mean > 0.3 || r.Median < 0.95 || r.Krum < 0.95 {
		t.Errorf("%+v, want the mean at most 0.3, the others at least 0.95", r)
	}
}

// TestFaults requires the same of the median when messages are lost and peers crash. It requires a good mean
// without a hostile client, to show that this client is the cause of a bad one.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("trains eight peers twice")
	}
	data := t.TempDir()
	if err := drawn.Write(data, 8000, program.Tests); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rule, chaos string
		flip        float32
	}{{"median", "loss=5%,faults=4", 10}, {"mean", "", 0}} {
		if accuracy, err := federation(data, c.rule, c.flip, c.chaos); err != nil || accuracy < 0.95 {
			t.Errorf("%s %s: accuracy %v (%v), want 0.95", c.rule, c.chaos, accuracy, err)
		}
	}
}
