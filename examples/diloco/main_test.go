package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bbgen/bbgen/examples/diloco/program"
	"github.com/bbgen/bbgen/examples/internal/fresh"
)

func TestFresh(t *testing.T) { fresh.Check(t, program.Program()) }

// TestRun trains. All workers have the same bits of the joint parameters after each round, send a twentieth of the bytes that
// gradients of each step would need, and classify digits.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four processes")
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
	if r.Rounds != program.Rounds || !r.Same || r.Accuracy < 0.9 || r.Over > 1.1/program.Steps {
		t.Errorf("got %+v", r)
	}
}
