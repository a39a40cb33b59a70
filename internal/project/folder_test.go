package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen"
)

// TestWriteOwn holds that a module of its own goes into a folder that is new, empty, or from an earlier run, and
// not among the files of somebody else.
func TestWriteOwn(t *testing.T) {
	files := []codegen.File{ours("main.go", "package main\n\nfunc main() {}\n")}
	dir := filepath.Join(t.TempDir(), "peer")
	home := Home{Dir: dir, Import: "bbgen.local/peer", Own: true}
	put := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	put("holiday.jpg")
	want := dir + " has files that bbgen did not write, such as holiday.jpg: choose a new folder, or an empty one"
	if err := Write(home, files); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if got := tree(t, dir); got != "holiday.jpg" {
		t.Errorf("it has written %s", got)
	}
	if err := os.Remove(filepath.Join(dir, "holiday.jpg")); err != nil {
		t.Fatal(err)
	}
	if err := Write(home, files); err != nil {
		t.Fatalf("an empty folder: %v", err)
	}
	put("holiday.jpg")
	if err := Write(home, files); err != nil {
		t.Errorf("a folder from an earlier run: %v", err)
	}
	if got := tree(t, dir); !strings.Contains(got, "holiday.jpg") || !strings.Contains(got, "main.go") {
		t.Errorf("there is %s", got)
	}
}
