package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSetAside tests that a new training keeps the checkpoint and the best weights of the one before, which may be the
// only copy, and does not mix them with those of an even earlier one.
func TestSetAside(t *testing.T) {
	dir := t.TempDir()
	previous := filepath.Join(dir, "ck", previousFolder)
	best := filepath.Join(dir, "ck", "best.safetensors")
	var notes strings.Builder
	run := func(steps int) {
		t.Helper()
		opt := options(t, dir)
		opt.Steps, opt.Best, opt.Stderr = steps, best, &notes
		if err := Run(t.Context(), program(nil, nil), points(100), opt); err != nil {
			t.Fatal(err)
		}
	}
	read := func(file string) string {
		t.Helper()
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	run(8)
	if notes.Len() > 0 {
		t.Errorf("the first training says %q", &notes)
	}
	weights, last := read(best), read(filepath.Join(dir, "ck", checkpointFile))
	run(3)
	if read(filepath.Join(previous, "best.safetensors")) != weights || read(filepath.Join(previous, checkpointFile)) != last {
		t.Error("the files of the earlier training are not kept")
	}
	if want := "the checkpoint of an earlier training is now in " + previous + "\n"; notes.String() != want {
		t.Errorf("got %q, want %q", &notes, want)
	}
	if err := os.Remove(best); err != nil {
		t.Fatal(err)
	}
	run(3)
	if _, err := os.Stat(filepath.Join(previous, "best.safetensors")); err == nil {
		t.Error("the weights of one training are beside the checkpoint of another")
	}
}
