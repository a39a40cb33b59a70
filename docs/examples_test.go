package docs

import (
	"cmp"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestExamples tests that examples/README.md has a line for each example.
func TestExamples(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(root, "examples/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(root, "examples/*/README.md"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%d examples, %v", len(found), err)
	}
	for _, name := range found {
		example := filepath.Base(filepath.Dir(name))
		if !strings.Contains(string(list), "\n| ["+example+"]("+example+"/README.md) |") {
			t.Errorf("examples/README.md does not list %s", example)
		}
	}
}

// inTable matches a command in the table of examples/README.md.
var inTable = regexp.MustCompile("(?m)^\\| \\[[^|]*\\|[^|]*\\| `(go run [^`]*)` \\|")

// checkTable checks that each command in the table of examples/README.md names a program, flags that it has, and files
// that exist. Most of these programs take too long to run here; a test beside each calls what its main does.
func checkTable(t *testing.T, known help) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "examples/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := inTable.FindAllStringSubmatch(string(b), -1)
	if rows := strings.Count(string(b), "\n| ["); len(commands) != rows {
		t.Errorf("%d commands in %d rows", len(commands), rows)
	}
	for _, m := range commands {
		if err := known.runs(root, m[1]); err != nil {
			t.Errorf("examples/README.md: %s: %v", m[1], err)
		}
	}
}

// runs returns an error if "go run PROGRAM ARGUMENTS" names a program, a flag or a file of the repository that does not
// exist.
func (h *help) runs(root, command string) error {
	words := strings.Fields(command)[2:] // after "go run"
	program, args := words[0], words[1:]
	for _, w := range args {
		if strings.HasPrefix(w, "examples/") {
			if _, err := os.Stat(filepath.Join(root, w)); err != nil {
				return err
			}
		}
	}
	if program == "./cmd/bbgen" {
		return h.accepts("bbgen " + strings.Join(args, " "))
	}
	source, err := mainSource(filepath.Join(root, program))
	if err != nil {
		return err
	}
	for _, m := range flagName.FindAllStringSubmatch(strings.Join(args, " "), -1) {
		name := regexp.QuoteMeta(strings.TrimLeft(m[1], "-"))
		if !regexp.MustCompile(`(?i)\bflag\w*\.\w+\((&[^,]+, )?"` + name + `"`).MatchString(source) {
			return fmt.Errorf("the program has no flag %s", m[1])
		}
	}
	return nil
}

// mainSource returns the text of a program's files.
func mainSource(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		return "", cmp.Or(err, errors.New("there is no such program"))
	}
	var all strings.Builder
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly)
		if err != nil {
			return "", err
		}
		if f.Name.Name != "main" {
			return "", fmt.Errorf("%s is in package %s, want main", filepath.Base(name), f.Name.Name)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		all.Write(b)
	}
	return all.String(), nil
}

// TestRuns shows the faults that are found in a command of the table.
func TestRuns(t *testing.T) {
	h := help{of: map[string]map[string]bool{"train": {"--lr": true}}}
	for command, want := range map[string]string{
		"go run ./examples/bench-federated -o page.html":             "<nil>",
		"go run ./cmd/bbgen train examples/train/lenet.onnx --lr 1":  "<nil>",
		"go run ./cmd/bbgen train examples/train/lenet.onnx --lrr 1": "there is no flag --lrr",
		"go run ./cmd/bbgen train examples/train/nothing.onnx":       "nothing.onnx",
		"go run ./examples/nothing":                                  "there is no such program",
		"go run ./examples/bench-federated -page page.html":          "the program has no flag -page",
		"go run ./ir": "is in package ir, want main",
	} {
		if got := fmt.Sprint(h.runs(root, command)); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", command, got, want)
		}
	}
}
