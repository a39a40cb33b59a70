package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTable tests that each package that imports ir/op also imports ir/op/all, directly or indirectly, so
// that the table is not empty.
func TestTable(t *testing.T) {
	imports, err := ownImports(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	askers := 0
	for _, pkg := range slices.Sorted(maps.Keys(imports)) {
		if !imports[pkg]["ir/op"] || match("ir/op/...", pkg) {
			continue
		}
		askers++
		if !reaches(imports, pkg, "ir/op/all", map[string]bool{}) {
			t.Errorf(`%s imports ir/op, and nothing that puts the table together: import _ "%s/ir/op/all"`, pkg, module)
		}
	}
	if askers == 0 {
		t.Error("no package imports ir/op")
	}
}

// TestFamilies: all families are in ir/op/all.
func TestFamilies(t *testing.T) {
	imports, err := ownImports(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range slices.Sorted(maps.Keys(imports)) {
		if match("ir/op/*", pkg) && pkg != "ir/op/all" && pkg != "ir/op/elem" && !imports["ir/op/all"][pkg] {
			t.Errorf("the operators of %s are not in the table: ir/op/all does not import it", pkg)
		}
	}
}

// ownImports returns the packages of this module that each package imports, without its tests.
func ownImports(fsys fs.FS) (map[string]map[string]bool, error) {
	imports := map[string]map[string]bool{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipped(fsys, name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly|parser.ParseComments)
		if err != nil || isIgnored(f) {
			return err
		}
		pkg := path.Dir(name)
		if imports[pkg] == nil {
			imports[pkg] = map[string]bool{}
		}
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if our, ok := ours(imp); ok {
				imports[pkg][our] = true
			}
		}
		return nil
	})
	return imports, err
}

// reaches reports whether an import of pkg, or an indirect one, is goal.
func reaches(imports map[string]map[string]bool, pkg, goal string, seen map[string]bool) bool {
	seen[pkg] = true
	for imp := range imports[pkg] {
		if imp == goal || !seen[imp] && reaches(imports, imp, goal, seen) {
			return true
		}
	}
	return false
}
