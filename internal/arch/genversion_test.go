package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen/runtime"
)

// generatedFile lists the declarations that generated code may use, below the versions to which they belong.
const generatedFile = "testdata/generated.txt"

// decide is what to do when the declarations have changed.
const decide = `Code that was generated before must still compile, or must not compile because of its version.
- Nothing is changed or removed, and bbgen writes code that uses what is new: raise GenVersion in runtime/version.go.
- What generated code uses is changed or removed: raise GenVersion, and set MinVersion to the same.
Then generate all packages again, and BBGEN_UPDATE=1 go test ./internal/arch -run Generated records the declarations.
If no release has the recorded version yet, the versions may stay: BBGEN_UPDATE=unreleased records the declarations.`

// TestGeneratedVersion compares the declarations that generated code may use with those of the recorded version. If they
// have changed, and the version has not, it fails: generated code of the same version might not compile.
func TestGeneratedVersion(t *testing.T) {
	versions := fmt.Sprintf("GenVersion %d, MinVersion %d", runtime.GenVersion, runtime.MinVersion)
	recorded, was := readGenerated(t)
	now := generatedFace(t)
	gone, added := without(was, now), without(now, was)
	if len(gone)+len(added) == 0 && recorded == versions {
		return
	}
	update := os.Getenv("BBGEN_UPDATE")
	var gen, least int
	if _, err := fmt.Sscanf(recorded, "GenVersion %d, MinVersion %d", &gen, &least); err != nil && update != "unreleased" {
		t.Fatalf("%s: %q: %v", generatedFile, recorded, err)
	}
	if update == "unreleased" || update == "1" && int(runtime.GenVersion) > gen && (len(gone) == 0 || int(runtime.MinVersion) > gen) {
		text := versions + "\n\n" + strings.Join(now, "\n") + "\n"
		if err := os.WriteFile(generatedFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s is of %s; this is %s\nchanged or removed: %s\nchanged or new: %s\n%s", generatedFile, recorded, versions, excerpt(gone), excerpt(added), decide)
}

func readGenerated(t *testing.T) (versions string, list []string) {
	b, err := os.ReadFile(generatedFile)
	if err != nil && os.Getenv("BBGEN_UPDATE") != "unreleased" {
		t.Fatal(err)
	}
	versions, rest, _ := strings.Cut(string(b), "\n\n")
	return versions, strings.Split(strings.TrimSpace(rest), "\n")
}

// without returns the lines of one list that another one, both sorted, does not have.
func without(list, other []string) (rest []string) {
	for _, s := range list {
		if _, ok := slices.BinarySearch(other, s); !ok {
			rest = append(rest, s)
		}
	}
	return rest
}

// excerpt returns the first lines of a list.
func excerpt(list []string) string {
	const most = 8
	text := fmt.Sprint(len(list))
	for i, s := range list {
		if i == most {
			return text + "\n\t…"
		}
		text += "\n\t" + s
	}
	return text
}

// generatedFace returns the exported declarations of the packages that generated code imports, a line each, sorted. Of
// package runtime those in the face of generated code count.
func generatedFace(t *testing.T) []string {
	faces, err := txtar.ParseFile("../../runtime/testdata/faces.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range faces.Files {
		for _, name := range strings.Fields(string(f.Data)) {
			names[name] = names[name] || f.Name == "generated"
		}
	}
	var list []string
	add := func(dir string, has func(name string) bool) {
		files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			list = append(list, declarations(t, file, has)...)
		}
	}
	add("runtime", func(name string) bool { return names[name] })
	for _, dir := range besideRuntime(t) {
		add(dir, ast.IsExported)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// besideRuntime returns the packages beside package runtime that committed generated packages import. The promise for
// components and hosts is another one: see the documentation of package runtime.
func besideRuntime(t *testing.T) []string {
	var list []string
	for _, root := range []string{"examples", "generated_test", "internal/bench", "runtime/host"} {
		err := filepath.WalkDir(filepath.Join("../..", root), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".bb.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, x := range f.Imports {
				dir, ours := strings.CutPrefix(strings.Trim(x.Path.Value, `"`), module+"/")
				if ours && path.Dir(dir) == "runtime" && !slices.Contains(list, dir) {
					list = append(list, dir)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(list) < 5 {
		t.Fatalf("generated packages import %q alone", list)
	}
	return list
}

// declarations returns the exported declarations of a file whose names has accepts: Engine.Send is the name of a method of
// Engine, Node.Poll of one of Node, and other methods have that of their type.
func declarations(t *testing.T, file string, has func(string) bool) (list []string) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.FileExports(f)
	add := func(name string, node ast.Node) {
		if has(name) {
			list = append(list, f.Name.Name+": "+oneLine(t, node))
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			d.Body, d.Doc = nil, nil
			add(faceName(d), d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					s.Doc, s.Comment = nil, nil
					add(s.Name.Name, s)
				case *ast.ValueSpec: // a value may change
					for _, id := range s.Names {
						add(id.Name, id)
					}
				}
			}
		}
	}
	return list
}

// faceName returns the name by which a face lists a function or method.
func faceName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	x := d.Recv.List[0].Type
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	switch g := x.(type) {
	case *ast.IndexExpr:
		x = g.X
	case *ast.IndexListExpr:
		x = g.X
	}
	name := x.(*ast.Ident).Name
	if name == "Node" || name == "Engine" {
		return name + "." + d.Name.Name
	}
	return name
}

// oneLine prints a declaration without comments.
func oneLine(t *testing.T, node ast.Node) string {
	var b bytes.Buffer
	ast.Inspect(node, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			f.Doc, f.Comment = nil, nil
		}
		return true
	})
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
