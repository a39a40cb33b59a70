package golden

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// An Archive is one txtar file during its test.
type Archive struct {
	Name string // the file's path, as matched by the pattern of [Run]

	t       testing.TB
	update  bool
	ar      *txtar.Archive
	checked map[string]bool
}

// Run calls f for each file that matches the pattern, as a subtest with the file's name. If no file matches,
// it fails.
func Run(t *testing.T, pattern string, f func(t *testing.T, a *Archive)) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatalf("no file matches %s", pattern)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a := open(t, name, os.Getenv("BBGEN_UPDATE") == "1")
			t.Cleanup(a.close) // after the subtests that f may start
			f(t, a)
		})
	}
}

func open(t testing.TB, name string, update bool) *Archive {
	t.Helper()
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return &Archive{Name: name, t: t, update: update, ar: ar, checked: map[string]bool{}}
}

// Sections returns the names of the sections, in the file's order.
func (a *Archive) Sections() []string {
	names := make([]string, len(a.ar.Files))
	for i, f := range a.ar.Files {
		names[i] = f.Name
	}
	return names
}

// Has reports whether there is a section with the given name.
func (a *Archive) Has(name string) bool { return a.index(name) >= 0 }

// Get returns the text of a section. It fails the test if there is none.
func (a *Archive) Get(name string) string {
	a.t.Helper()
	i := a.index(name)
	if i < 0 {
		a.t.Fatalf("%s: no section %q", a.Name, name)
		return ""
	}
	return string(a.ar.Files[i].Data)
}

// Check compares got with the text of a section. A missing newline at the end of got is ignored, as a txtar
// file cannot represent it.
func (a *Archive) Check(name, got string) {
	a.t.Helper()
	a.checked[name] = true
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	if !holds(got) {
		a.t.Errorf("%s: %s has a line that looks like the head of a section:\n%s", a.Name, name, got)
		return
	}
	i := a.index(name)
	switch {
	case i >= 0 && string(a.ar.Files[i].Data) == got:
	case a.update && i >= 0:
		a.ar.Files[i].Data = []byte(got)
	case a.update:
		a.ar.Files = append(a.ar.Files, txtar.File{Name: name, Data: []byte(got)})
	case i < 0:
		a.t.Errorf("%s: no section %q (BBGEN_UPDATE=1 writes it); got:\n%s", a.Name, name, got)
	default:
		a.t.Errorf("%s: %s differs (-want +got; BBGEN_UPDATE=1 rewrites it):\n%s", a.Name, name, diff(string(a.ar.Files[i].Data), got))
	}
}

func (a *Archive) index(name string) int {
	return slices.IndexFunc(a.ar.Files, func(f txtar.File) bool { return f.Name == name })
}

// holds reports whether a section can hold the text.
func holds(text string) bool {
	ar := txtar.Parse([]byte(text))
	return len(ar.Files) == 0
}

// close reports outputs that the test has not computed, or drops them in update mode, and writes the file if
// it has changed. After a failure it does nothing, as the test may not have reached its last Check.
func (a *Archive) close() {
	a.t.Helper()
	if a.t.Failed() || a.t.Skipped() {
		return
	}
	stale := func(f txtar.File) bool { return strings.HasPrefix(f.Name, "out/") && !a.checked[f.Name] }
	if !a.update {
		for _, f := range a.ar.Files {
			if stale(f) {
				a.t.Errorf("%s: %s is computed by nothing (BBGEN_UPDATE=1 drops it)", a.Name, f.Name)
			}
		}
		return
	}
	a.ar.Files = slices.DeleteFunc(a.ar.Files, stale)
	a.write()
}

func (a *Archive) write() {
	a.t.Helper()
	old, err := os.ReadFile(a.Name)
	if err != nil {
		a.t.Error(err)
		return
	}
	now := txtar.Format(a.ar)
	if bytes.Equal(old, now) {
		return
	}
	if err := os.WriteFile(a.Name, now, 0o644); err != nil {
		a.t.Error(err)
	}
}
