package dsl

import (
	"os"
	"path/filepath"
	"testing"
)

// TestShown: the names of files in messages keep their folders, below the working directory relative to it.
func TestShown(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	above := filepath.Join(filepath.Dir(dir), "other", "a.go")
	for file, want := range map[string]string{filepath.Join(dir, "part", "a.go"): "part/a.go", filepath.Join(dir, "a.go"): "a.go", above: above} {
		if got := shown(file); got != want {
			t.Errorf("%s is shown as %s, want %s", file, got, want)
		}
	}
}
