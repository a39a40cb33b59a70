package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

// unlinked are packages of the standard library that a binary with a model has no use for. Their tables and what they
// do at the start would be in each.
var unlinked = []string{"crypto", "encoding/json", "net", "os/exec", "text/template", "html/template"}

// TestModelsLinkLittle: neither what a generated model imports nor its command line leads to unlinked packages.
func TestModelsLinkLittle(t *testing.T) {
	root := os.DirFS("../..")
	from := map[string]string{"runtime": "", "runtime/cpu": "", "runtime/host/run": ""}
	todo := []string{"runtime", "runtime/cpu", "runtime/host/run"}
	for len(todo) > 0 {
		pkg := todo[0]
		todo = todo[1:]
		for _, imp := range importsOf(t, root, pkg) {
			if below(unlinked, imp) {
				t.Errorf("%s imports %s, and a model imports it%s", pkg, imp, through(from, pkg))
			}
			if imp, ok := ours(imp); ok && !has(from, imp) {
				from[imp] = pkg
				todo = append(todo, imp)
			}
		}
	}
	if len(from) < 20 {
		t.Errorf("found %d packages of a model: the test reads too little", len(from))
	}
}

func has(m map[string]string, key string) bool { _, ok := m[key]; return ok }

// through returns the way from a model's imports to a package.
func through(from map[string]string, pkg string) (s string) {
	for p := from[pkg]; p != ""; p = from[p] {
		s += " through " + p
	}
	return s
}

// importsOf returns what the files of a package import on any system, but for its tests.
func importsOf(t *testing.T, root fs.FS, pkg string) (list []string) {
	t.Helper()
	files, err := fs.Glob(root, path.Join(pkg, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pkg, len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if isIgnored(f) {
			continue
		}
		for _, s := range f.Imports {
			imp, _ := strconv.Unquote(s.Path.Value)
			list = append(list, imp)
		}
	}
	return list
}
