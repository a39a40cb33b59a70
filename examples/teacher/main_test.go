package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/bbgen/bbgen/examples/teacher/program"
)

// The model file contains the network that is written in Go.
func TestNetwork(t *testing.T) {
	const file = "program/student.onnx"
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

// TestRun tests that students with the teacher's probabilities for unlabeled pictures recognize many more
// digits than those with only labels. Crashes and lost messages do not change that.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four peers")
	}
	var out bytes.Buffer
	if err := run(&out, "loss=5%,faults=4"); err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var r result
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatal(err)
	}
	if r.Teacher < 0.98 || r.Taught < 0.93 || r.Alone < 0.6 || r.Taught < r.Alone+0.08 {
		t.Errorf("%+v, want 0.93 of the taught, 0.6 and much less than that of those who learn alone", r)
	}
}
