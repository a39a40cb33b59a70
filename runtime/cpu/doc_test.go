package cpu

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The name of each file of kernels begins with a word of the table in the package's documentation, and each
// word begins the name of a file.
func TestEachFileHasAFamily(t *testing.T) {
	needsSources(t)
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(doc), "one of these words:\n")
	if !found {
		t.Fatal("doc.go has no table of families")
	}
	used := map[string]bool{}
	for line := range strings.Lines(table) {
		row, found := strings.CutPrefix(strings.TrimRight(line, "\n"), "//\t")
		if !found {
			continue
		}
		const words = 21 // where they begin
		for _, word := range strings.Fields(row[min(words, len(row)):]) {
			used[word] = false
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "doc.go" {
			continue
		}
		known := false
		for word := range used {
			if strings.HasPrefix(file, word) {
				used[word], known = true, true
			}
		}
		if !known {
			t.Errorf("%s begins with no word of the table of families in doc.go", file)
		}
	}
	for word, some := range used {
		if !some {
			t.Errorf("doc.go has the word %q, with which no file begins", word)
		}
	}
}

// A call of more than eight arguments is hard to read: what belongs together is a struct, whose fields have names.
func TestFewParameters(t *testing.T) {
	const most = 8
	eachSource(t, func(file string, parsed *ast.File) {
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Type.Params.NumFields() > most {
				t.Errorf("%s: %s has %d parameters, want %d at most", file, fn.Name.Name, fn.Type.Params.NumFields(), most)
			}
		}
	})
}

// What depends on the level alone is chosen where the kernels are generated: a level that is new or gone is in every choice.
func TestLevelsAreChosenByGeneratedCode(t *testing.T) {
	switches := 0
	eachSource(t, func(file string, parsed *ast.File) {
		ast.Inspect(parsed, func(n ast.Node) bool {
			s, ok := n.(*ast.SwitchStmt)
			if !ok {
				return true
			}
			if tag, ok := s.Tag.(*ast.Ident); !ok || tag.Name != "level" {
				return true
			}
			if switches++; !ast.IsGenerated(parsed) {
				t.Errorf("%s chooses by level: its program in _asm writes that for kernels that begin with AtLevel or Variant", file)
			}
			return true
		})
	})
	if switches == 0 {
		t.Error("found no choice by level")
	}
}

// eachSource runs f for each file of the package but its tests.
func eachSource(t *testing.T, f func(file string, parsed *ast.File)) {
	t.Helper()
	needsSources(t)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		f(file, parsed)
	}
}
