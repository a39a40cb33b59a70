package all

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDoc: the documentation of package op describes each family.
func TestDoc(t *testing.T) {
	doc, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	lists, err := filepath.Glob("../*/ops.go")
	if err != nil || len(lists) == 0 {
		t.Fatalf("no families: %v", err)
	}
	for _, list := range lists {
		if name := filepath.Base(filepath.Dir(list)); !strings.Contains(string(doc), "\n//\t"+name+" ") {
			t.Errorf("ir/op/doc.go does not say what family %s holds", name)
		}
	}
}

// TestFiles: the second table in the documentation of package op names each file of that package, and no other.
func TestFiles(t *testing.T) {
	doc, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "A family never imports another.")
	named := map[string]bool{"doc": true}
	for line := range strings.Lines(table) {
		row, ok := strings.CutPrefix(line, "//\t")
		if !ok || strings.HasPrefix(row, " ") {
			continue
		}
		for _, w := range strings.Fields(row) {
			name, more := strings.CutSuffix(w, ",")
			named[name] = true
			if !more {
				break // what follows describes the files
			}
		}
	}
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".go")
		if family, _, ok := strings.Cut(name, "_"); ok && named[family+"_*"] {
			name = family + "_*"
		}
		if have[name] = true; !named[name] && !strings.HasSuffix(name, "_test") {
			t.Errorf("ir/op/doc.go does not say what %s holds", file)
		}
	}
	for name := range named {
		if !have[name] {
			t.Errorf("ir/op/doc.go names %s, which is no file", name)
		}
	}
}

// TestTested: each family has the test that runs its cases.
func TestTested(t *testing.T) {
	lists, err := filepath.Glob("../*/ops.go")
	if err != nil || len(lists) == 0 {
		t.Fatalf("no families: %v", err)
	}
	for _, list := range lists {
		dir := filepath.Dir(list)
		want := "optest.Family(t, " + filepath.Base(dir) + ".Ops)"
		if text, err := os.ReadFile(filepath.Join(dir, "family_test.go")); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s/family_test.go does not call %s", dir, want)
		}
	}
}

// TestListed: each row is in the list of its family, which is sorted. An operator that is not listed would be
// unknown.
func TestListed(t *testing.T) {
	lists, err := filepath.Glob("../*/ops.go")
	if err != nil || len(lists) == 0 {
		t.Fatalf("no families: %v", err)
	}
	for _, list := range lists {
		rows, listed := family(t, filepath.Dir(list))
		if !slices.IsSorted(listed) {
			t.Errorf("%s is not sorted", list)
		}
		slices.Sort(rows)
		if !slices.Equal(rows, listed) {
			t.Errorf("%s\n lists %v\nwant %v", list, listed, rows)
		}
	}
}

// family is the variables of a package that hold rows, and those in its list.
func family(t *testing.T, dir string) (rows, listed []string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var decls []ast.Decl
	makers := map[string]bool{} // functions that return a row
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		decls = append(decls, f.Decls...)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Type.Results != nil && types.ExprString(fn.Type.Results.List[0].Type) == "*op.Op" {
				makers[fn.Name.Name] = true
			}
		}
	}
	for _, d := range decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			switch {
			case len(v.Values) != 1:
			case v.Names[0].Name == "Ops":
				for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
					listed = append(listed, types.ExprString(e))
				}
			case isRow(v.Values[0], makers):
				rows = append(rows, v.Names[0].Name)
			}
		}
	}
	return rows, listed
}

// isRow reports whether an expression is a row: a literal, the result of a function, or the field Op of the
// steps of package peer.
func isRow(e ast.Expr, makers map[string]bool) bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return strings.HasPrefix(types.ExprString(e), "&op.Op{")
	case *ast.CallExpr:
		return makers[types.ExprString(e.Fun)]
	case *ast.SelectorExpr:
		return e.Sel.Name == "Op"
	}
	return false
}
