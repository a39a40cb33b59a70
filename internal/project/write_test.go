package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/codegen"
)

func ours(path, text string) codegen.File {
	return codegen.NewFile(path, []byte("// "+header+"; DO NOT EDIT.\n\n"+text))
}

// tree returns the files below dir, by their paths.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		out = append(out, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

// TestWrite overwrites an earlier run: obsolete files are removed, foreign files are kept, and no files are
// left outside of the folder.
func TestWrite(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "with space", "größe")
	if err := write(dir, []codegen.File{ours("a.bb.go", "1"), ours("old.bb.go", "1"), ours("sub/b.bb.go", "1")}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"mine.go": "package m", "mine.bb.go": "package m"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(dir, []codegen.File{ours("a.bb.go", "2"), ours("sub/b.bb.go", "1")}); err != nil {
		t.Fatal(err)
	}
	const want = "with space/größe/a.bb.go with space/größe/mine.bb.go with space/größe/mine.go with space/größe/sub/b.bb.go"
	if got := tree(t, parent); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSameContent compares files of sizes around that of a piece.
func TestSameContent(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, n := range []int{0, 1, 1<<16 - 1, 1 << 16, 1<<16 + 1, 3 << 16} {
		a := write("a", make([]byte, n))
		for name, c := range map[string]struct {
			b    []byte
			want bool
		}{
			"same":   {make([]byte, n), true},
			"longer": {make([]byte, n+1), false},
			"other":  {append(make([]byte, max(n, 1)-1), 1), false},
		} {
			if got, err := sameContent(a, write("b", c.b)); got != c.want || err != nil {
				t.Errorf("%d bytes, %s: %v, %v", n, name, got, err)
			}
			if got, _ := sameContent(filepath.Join(dir, "b"), a); got != c.want {
				t.Errorf("%d bytes, %s, the other way: %v", n, name, got)
			}
		}
	}
	if got, err := sameContent(write("a", nil), filepath.Join(dir, "none")); got || err != nil {
		t.Errorf("no file: %v, %v", got, err)
	}
}

// TestWriteOtherLayout turns a program into a package: files that only the program has, and that would not
// compile, are removed.
func TestWriteOtherLayout(t *testing.T) {
	dir := t.TempDir()
	weights := codegen.NewFile("weights.bin", []byte{1})
	first := []codegen.File{ours("main.go", "1"), ours("model_bb_test.go", "1"), ours("weights.bb.go", "1"), weights}
	if err := write(dir, first); err != nil {
		t.Fatal(err)
	}
	if err := write(dir, []codegen.File{ours("model.bb.go", "2"), ours("cmd/m/main.go", "2")}); err != nil {
		t.Fatal(err)
	}
	if got, want := tree(t, dir), "cmd/m/main.go model.bb.go"; got != want {
		t.Errorf("folder holds %s, want %s", got, want)
	}
}

// TestWriteConflict tests that nothing changes if a file that bbgen has not written is in the way.
func TestWriteConflict(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main"), 0o666); err != nil {
		t.Fatal(err)
	}
	err := write(dir, []codegen.File{ours("a.bb.go", ""), ours("main.go", "")})
	if err == nil || !strings.Contains(err.Error(), "main.go is in the way") {
		t.Errorf("got %v", err)
	}
	if got := tree(t, dir); got != "main.go" {
		t.Errorf("folder holds %s", got)
	}
}

// TestWriteUnwritable: an error while files are written, such as that of a full disk, names the folder that was asked for.
func TestWriteUnwritable(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, []codegen.File{ours("a.bb.go", "")}); err != nil {
		t.Fatal(err)
	}
	err := write(dir, []codegen.File{ours("b.bb.go", ""), ours("b.bb.go/c.bb.go", "")}) // a file is no folder
	if err == nil || !strings.HasPrefix(err.Error(), "cannot write "+dir+", which stays as it was: ") {
		t.Errorf("the error is %v, want %s in it, unchanged", err, dir)
	}
	if got := tree(t, dir); got != "a.bb.go" {
		t.Errorf("folder holds %s", got)
	}
}

// TestTemps removes the temporary files of the present run, and those that a killed run left an hour ago, but
// no files that another run may use.
func TestTemps(t *testing.T) {
	parent := t.TempDir()
	dead, busy := filepath.Join(parent, ".bbgen-tmp-1"), filepath.Join(parent, ".bbgen-tmp-2")
	for _, d := range []string{dead, busy} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * abandoned)
	if err := os.Chtimes(dead, past, past); err != nil {
		t.Fatal(err)
	}
	if err := write(filepath.Join(parent, "dir"), []codegen.File{ours("a.bb.go", "")}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("what a killed run left is still there")
	}
	if _, err := os.Stat(busy); err != nil {
		t.Error(err)
	}
}

// TestWriteConflictBare: files without a header, such as weights, are not replaced if they are not of an earlier run.
func TestWriteConflictBare(t *testing.T) {
	files := []codegen.File{ours("model.bb.go", "package model\n"), codegen.NewFile("weights.bin", []byte("new")), codegen.NewFile("testdata/input_0.pb", []byte("x"))}
	for _, c := range []struct{ name, file, text, want string }{
		{"weights of somebody else", "weights.bin", "mine", "weights.bin is in the way"},
		{"weights of the same size", "weights.bin", "old", "weights.bin is in the way"},
		{"the same weights", "weights.bin", "new", ""},
		{"somebody else's test data", "testdata/input_0.pb", "mine", "input_0.pb is in the way"},
		{"a folder", "weights.bin/mine", "", "weights.bin is in the way"},
	} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, c.file), c.text)
		err := write(dir, files)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
		if got := tree(t, dir); c.want != "" && got != c.file {
			t.Errorf("%s: there are %s", c.name, got)
		}
	}
	dir := t.TempDir()
	for _, text := range []string{"1", "2"} { // the second run replaces what the first has written
		list := []codegen.File{ours("main.go", "package main\n"), codegen.NewFile("models.json", []byte(text)), codegen.NewFile("model/weights.bin", []byte(text))}
		if err := write(dir, list); err != nil {
			t.Error(err)
		}
	}
}

// TestWriteBrackets: names of folders are no patterns. What an earlier run left is removed, and neighbors are checked.
func TestWriteBrackets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a-b] *")
	if err := write(dir, []codegen.File{ours("a.bb.go", "package m\n"), ours("old.bb.go", "package m\n")}); err != nil {
		t.Fatal(err)
	}
	if err := write(dir, []codegen.File{ours("a.bb.go", "package m\n")}); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, dir); got != "a.bb.go" {
		t.Errorf("there are %s", got)
	}
	put(t, filepath.Join(dir, "x.go"), "package x\n")
	if err := write(dir, []codegen.File{ours("a.bb.go", "package m\n")}); err == nil {
		t.Error("a file of another package is no error")
	}
}

// TestWriteOnlyInside: a folder that exists may be all that can be written, as one that a container mounts.
func TestWriteOnlyInside(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "mounted")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".bbgen-tmp-1"), 0o777); err != nil { // of a killed run
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(parent, past, past); err != nil {
		t.Fatal(err)
	}
	home := Home{Dir: dir, Import: "bbgen.local/x", Own: true}
	if err := Write(home, []codegen.File{ours("main.go", "package main\n\nfunc main() {}\n")}); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, dir); got != "go.mod main.go vendor/modules.txt" {
		t.Errorf("there are %s", got)
	}
	if st, err := os.Stat(parent); err != nil || time.Since(st.ModTime()) < time.Minute {
		t.Errorf("the folder around it has changed (error %v)", err)
	}
}
