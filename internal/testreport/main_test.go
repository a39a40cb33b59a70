package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Each archive in testdata has what go test -json wrote, the known reasons, what is printed, and whether all is well.
func TestReport(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			part := make(map[string]string)
			for _, f := range ar.Files {
				part[f.Name] = string(f.Data)
			}
			var out strings.Builder
			ok, err := report(write(t, part["reasons"]), strings.NewReader(part["events"]), &out)
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				out.WriteString("all is well\n")
			}
			if out.String() != part["printed"] {
				t.Errorf("got\n%swant\n%s", out.String(), part["printed"])
			}
		})
	}
}

// A reason that is no expression is an error with its line.
func TestReasonsAreExpressions(t *testing.T) {
	file := write(t, "# fine\n\nno luck\n(\n")
	if _, err := readReasons(file); err == nil || !strings.Contains(err.Error(), file+":4: ") {
		t.Errorf("got %v", err)
	}
}

func write(t *testing.T, text string) string {
	file := filepath.Join(t.TempDir(), "reasons")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}
