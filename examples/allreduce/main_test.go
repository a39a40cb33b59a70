package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bbgen/bbgen/examples/allreduce/load"
)

// TestRun runs the workers as processes. They send hardly more bytes than the algorithms need.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and sums hundreds of MiB")
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
	if r.Sums != load.Peers*load.Rounds()*len(load.Algorithms) || r.OverSent < 1 || r.OverSent > 1.02 {
		t.Errorf("got %+v", r)
	}
}
