package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestRun trains on one process and evaluates on another. Only some losses and the accuracy are read, never a
// parameter.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds bbgen")
	}
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var r result
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatalf("%s: %v", out.Bytes(), err)
	}
	if r.Steps != steps || r.Accuracy < 0.95 || r.ReadBytes > 64 || r.MovedBytes < 200_000 {
		t.Errorf("got %+v", r)
	}
}
