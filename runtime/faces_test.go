package runtime_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

const facesFile = "testdata/faces.txt"

// TestFaces compares the lists of the names that generated code, components and hosts may use with the names
// that the package exports: each exported name must be in a list.
func TestFaces(t *testing.T) {
	faces := readFaces(t)
	exported := exportedNames(t)
	listed := map[string]bool{}
	for face, names := range faces {
		if !slices.IsSorted(names) {
			t.Errorf("%s: the names of %s are not sorted", facesFile, face)
		}
		for _, name := range names {
			listed[name] = true
			if !exported[name] {
				t.Errorf("%s: %s has %s, which the package does not export", facesFile, face, name)
			}
		}
	}
	for name := range exported {
		if method, ok := strings.CutPrefix(name, "Node."); !listed[name] && !(ok && exported["Peer."+method]) {
			t.Errorf("%s is exported and has no face: add it to those in %s that call it, or do not export it", name, facesFile)
		}
	}
}

// TestFacesAreKept finds the names that generated code, components and hosts use, and checks that they are in
// the list of their face.
func TestFacesAreKept(t *testing.T) {
	faces, exported := readFaces(t), exportedNames(t)
	for _, c := range []struct {
		face, typ, name string   // name is that of the variables of type typ in the files
		dirs            []string // of the files
		in              func(file string) bool
	}{
		{"generated", "Engine", "e", []string{"../generated_test", "../examples", "host"}, isPartition},
		{"components", "Peer", "n", []string{"component"}, isOurs},
		{"hosts", "Node", "node", []string{"host"}, func(file string) bool {
			return isOurs(file) && !isPartition(file) && !strings.Contains(file, "hosttest") // their partitions are for tests
		}},
	} {
		t.Run(c.face, func(t *testing.T) {
			files := 0
			for _, dir := range c.dirs {
				eachFile(t, dir, c.in, func(file string, src []byte) {
					files++
					for _, name := range callsOf(t, file, src, c.typ, c.name, exported) {
						if !slices.Contains(faces[c.face], name) {
							t.Errorf("%s calls %s, which is not in the face of %s in runtime/%s", file, name, c.face, facesFile)
						}
					}
				})
			}
			if files < 10 {
				t.Errorf("%d files, want 10 at least", files)
			}
		})
	}
}

// TestEngineIsGiven: only tests make an Engine of a Node. Blocks are given theirs, and hosts have no use for one.
func TestEngineIsGiven(t *testing.T) {
	files := 0
	for _, dir := range []string{"../cmd", "../examples", "../internal", "../remote", "host", "component"} {
		eachFile(t, dir, isOurs, func(file string, src []byte) {
			files++
			if bytes.Contains(src, []byte("runtime.Engine)(")) {
				t.Errorf("%s makes a runtime.Engine of a Node, which generated code is given", file)
			}
		})
	}
	if files < 100 {
		t.Errorf("%d files, want 100 at least", files)
	}
}

// isPartition reports whether a file is a partition, generated or written by hand in the same form.
func isPartition(file string) bool {
	file = filepath.ToSlash(file)
	return isGenerated(file) || file == "host/dataparallel/partition.go" || file == "host/dataparallel/enter.go"
}

func isGenerated(file string) bool { return strings.HasSuffix(file, ".bb.go") }

func isOurs(file string) bool {
	return strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") && !isGenerated(file)
}

func readFaces(t *testing.T) map[string][]string {
	t.Helper()
	a, err := txtar.ParseFile(facesFile)
	if err != nil {
		t.Fatal(err)
	}
	faces := map[string][]string{}
	for _, f := range a.Files {
		faces[f.Name] = strings.Fields(string(f.Data))
	}
	return faces
}

// exportedNames returns the names that the package exports, and the methods of Node, Engine and Peer.
func exportedNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	eachFile(t, ".", func(file string) bool { return isOurs(file) && filepath.Dir(file) == "." }, func(file string, src []byte) {
		f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			for _, name := range declared(d) {
				if ast.IsExported(name[strings.IndexByte(name, '.')+1:]) {
					names[name] = true
				}
			}
		}
	})
	return names
}

// declared returns the names of a declaration: Node.Poll for a method of Node, Engine.Send for one of Engine, Peer.Now for
// one of Peer, none for other methods.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		if star, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok {
			if id, ok := star.X.(*ast.Ident); ok && (id.Name == "Node" || id.Name == "Engine") {
				return []string{id.Name + "." + d.Name.Name}
			}
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
				if face, ok := s.Type.(*ast.InterfaceType); ok && s.Name.Name == "Peer" {
					for _, m := range face.Methods.List {
						names = append(names, "Peer."+m.Names[0].Name)
					}
				}
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// callsOf returns the names of the package that a file uses, and the methods that it calls on variables of a name
// and a type.
func callsOf(t *testing.T, file string, src []byte, typ, variable string, exported map[string]bool) (names []string) {
	t.Helper()
	if !bytes.Contains(src, []byte(`"github.com/bbgen/bbgen/runtime"`)) {
		return nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !ast.IsExported(sel.Sel.Name) {
			return true
		}
		switch last := lastName(sel.X); {
		case last == "runtime":
			names = append(names, sel.Sel.Name)
		case last == variable && exported[typ+"."+sel.Sel.Name]:
			names = append(names, typ+"."+sel.Sel.Name)
		}
		return true
	})
	return names
}

// lastName returns the last name of an expression: node for h.node.
func lastName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// eachFile calls do for the files below a folder for which in returns true.
func eachFile(t *testing.T, dir string, in func(file string) bool, do func(file string, src []byte)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !in(name) {
			return err
		}
		src, err := os.ReadFile(name)
		if err == nil {
			do(name, src)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
