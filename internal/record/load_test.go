package record

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestMissing: the error tells how to get bbgen for a module that does not require it.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"go.mod": "module example.com/alone\n\ngo 1.26\n",
		"p.go":   "package p\n\nimport \"github.com/bbgen/bbgen/dsl\"\n\nfunc Program() dsl.Program { return dsl.Program{} }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := load(t.Context(), ".")
	want := "p.go:3:8: no required module provides package github.com/bbgen/bbgen/dsl; to add it:\n\tgo get github.com/bbgen/bbgen/dsl"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Messages of the go command are reported in its own words.
func TestSaid(t *testing.T) {
	for text, want := range map[string]string{
		"err: exit status 1: stderr: go: updates to go.mod needed; to update it:\n\tgo mod tidy\n": "go: updates to go.mod needed; to update it:\n\tgo mod tidy",
		"context canceled": "context canceled",
	} {
		if got := said(errors.New(text)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
