package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRun tests that the outputs of processes and of the simulator are equal, bit for bit.
func TestRun(t *testing.T) {
	if r := result6(t, simulated); !r.Equal || r.Batches != 6 || r.InFlight < 2 {
		t.Errorf("simulated: %+v, want 6 equal batches, several at a time", r)
	}
	if testing.Short() {
		t.Skip("builds three programs")
	}
	if r := result6(t, processes); !r.Equal || r.Batches != 6 {
		t.Errorf("processes: %+v, want 6 equal batches", r)
	}
}

// result6 returns the result for six batches.
func result6(t *testing.T, through pipeline) (r result) {
	var out bytes.Buffer
	if err := run(&out, 6, through); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFresh generates the stages again and compares them with the committed ones.
func TestFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a model")
	}
	dir := filepath.Join(t.TempDir(), "peer")
	cmd := exec.Command("go", "run", "github.com/bbgen/bbgen/cmd/bbgen", "../chartransformer/transformer.onnx",
		"--split", "3", "--assume", "batch=8", "-o", dir, "--quiet")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	list, err := filepath.Glob(filepath.Join(dir, "*", "partition", "*"))
	if err != nil || len(list) < 12 {
		t.Fatalf("%d files, want 3 stages of at least 4: %v", len(list), err)
	}
	for _, name := range list {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join("peer", rel)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what bbgen makes of the model: run go generate ./...", rel)
		}
	}
}
