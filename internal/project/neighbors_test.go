package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen"
)

// TestNeighbors tests that no files are written into a folder with Go files with which they would not build.
func TestNeighbors(t *testing.T) {
	for _, c := range []struct{ name, file, theirs, ours, want string }{
		{"a main beside a main", "main.go", "package main\n", "main", "is of package main, and so is what bbgen writes beside it: choose another folder, or --package NAME"},
		{"another package", "x.go", "package x\n", "model", "is of package x, and what bbgen writes beside it of package model: choose another folder"},
		{"the same package", "more.go", "package model\n", "model", ""},
		{"a program that no build has", "gen.go", "//go:build ignore\n\npackage main\n", "model", ""},
		{"a test", "x_test.go", "package x_test\n", "model", ""},
		{"no Go", "x.go", "hello\n", "model", "expected 'package'"},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.theirs), 0o666); err != nil {
			t.Fatal(err)
		}
		err := write(dir, []codegen.File{codegen.NewFile("model.bb.go", []byte("// "+header+"; DO NOT EDIT.\n\npackage "+c.ours+"\n"))})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if _, statErr := os.Stat(filepath.Join(dir, "model.bb.go")); (statErr == nil) != (c.want == "") {
			t.Errorf("%s: written: %v", c.name, statErr == nil)
		}
	}
}
