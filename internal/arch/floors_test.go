package arch

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestFloors: within the packages of the table, no call goes up a floor.
func TestFloors(t *testing.T) {
	tree := &tree{fsys: os.DirFS("../.."), fset: token.NewFileSet(), done: map[string]*types.Package{}}
	for _, h := range houses {
		problems, err := h.check(tree)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Error(p)
		}
	}
	var listed []string
	for _, h := range houses {
		listed = append(listed, h.pkg)
	}
	for _, p := range []string{"runtime", "codegen", "codegen/plan", "codegen/peerplan", "partitioner"} {
		if !slices.Contains(listed, p) {
			t.Errorf("%s has no row in the table of floors", p)
		}
	}
}

// TestFloorsCheck shows the errors, with small packages.
func TestFloorsCheck(t *testing.T) {
	h := house{pkg: "p", floors: []floor{
		{"state", []string{"state.go"}, "it decides, and is tested alone"},
		{"node", []string{rest}, "it carries out"},
		{"face", []string{"face*.go"}, "hosts call it, and nothing below"},
	}}
	const state, node, face = "package p\ntype S struct{}\nfunc (s *S) Step() {}\n", "package p\ntype N struct{ s S }\nfunc (n *N) run() { n.s.Step() }\n", "package p\nfunc (n *N) Poll() { n.run() }\n"
	tests := []struct{ file, more, want string }{
		{"a.go", "", ""},
		{"state.go", "func (s *S) up(n *N) { n.run() }", "p/state.go:4: N.run is on floor node (a.go), above floor state: it decides, and is tested alone"},
		{"a.go", "func (n *N) up() { defer n.Poll() }", "p/a.go:4: N.Poll is on floor face (face1.go), above floor node: it carries out"},
		{"a.go", "var poll = (*N).Poll", "p/a.go:4: N.Poll is on floor face (face1.go), above floor node: it carries out"},
		{"state.go", "func (s *S) refers(*N) {}", ""}, // a type is no call
		{"face1.go", "func (n *N) Again() { n.Poll(); n.s.Step() }", ""},
	}
	for _, tt := range tests {
		fsys := fstest.MapFS{}
		for name, src := range map[string]string{"state.go": state, "a.go": node, "face1.go": face} {
			if name == tt.file {
				src += tt.more
			}
			fsys["p/"+name] = &fstest.MapFile{Data: []byte(src)}
		}
		got, err := h.check(&tree{fsys: fsys, fset: token.NewFileSet(), done: map[string]*types.Package{}})
		if err != nil || strings.Join(got, "; ") != tt.want {
			t.Errorf("%s: %s\n got %q, %v\nwant %q", tt.file, tt.more, got, err, tt.want)
		}
	}
	h.floors = append(h.floors, floor{"attic", []string{"gone.go"}, "-"})
	fsys := fstest.MapFS{"p/state.go": {Data: []byte(state)}, "p/face1.go": {Data: []byte("package p")}}
	got, err := h.check(&tree{fsys: fsys, fset: token.NewFileSet(), done: map[string]*types.Package{}})
	if want := "p: gone.go of floor attic matches no file"; err != nil || strings.Join(got, "; ") != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	h.floors = h.floors[:1]
	got, err = h.check(&tree{fsys: fsys, fset: token.NewFileSet(), done: map[string]*types.Package{}})
	if want := "p/face1.go is on no floor: which functions does it call, and which call it?"; err != nil || strings.Join(got, "; ") != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// check returns the calls that go up a floor, and the patterns that match no file.
func (h *house) check(tr *tree) ([]string, error) {
	files, err := tr.parse(h.pkg)
	if err != nil {
		return nil, err
	}
	var problems []string
	for _, f := range h.floors {
		for _, p := range f.files {
			if p != rest && !slices.ContainsFunc(files, func(f *ast.File) bool { return matches(p, tr.name(f)) }) {
				problems = append(problems, fmt.Sprintf("%s: %s of floor %s matches no file", h.pkg, p, f.name))
			}
		}
	}
	for _, f := range files {
		if tr.name(f) != "doc.go" && h.floorOf(tr.name(f)) < 0 {
			problems = append(problems, fmt.Sprintf("%s/%s is on no floor: which functions does it call, and which call it?", h.pkg, tr.name(f)))
		}
	}
	if problems != nil {
		return problems, nil
	}
	uses := map[*ast.Ident]types.Object{}
	pkg := tr.types(h.pkg, files, &types.Info{Uses: uses})
	idents := make([]*ast.Ident, 0, len(uses))
	for id := range uses {
		idents = append(idents, id)
	}
	slices.SortFunc(idents, func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) })
	for _, id := range idents {
		fn, ok := uses[id].(*types.Func)
		if !ok || fn.Pkg() != pkg || isInterface(fn) {
			continue
		}
		fn = fn.Origin()
		from, to := tr.fset.Position(id.Pos()), tr.fset.Position(fn.Pos())
		low, high := h.floorOf(path.Base(from.Filename)), h.floorOf(path.Base(to.Filename))
		if low < high {
			problems = append(problems, fmt.Sprintf("%s:%d: %s is on floor %s (%s), above floor %s: %s",
				from.Filename, from.Line, funcName(fn), h.floors[high].name, path.Base(to.Filename), h.floors[low].name, h.floors[low].why))
		}
	}
	return problems, nil
}

// floorOf returns the floor of a file: the first that lists it, or the one of the rest, or -1.
func (h *house) floorOf(file string) int {
	others := -1
	for i, f := range h.floors {
		for _, p := range f.files {
			if p == rest {
				others = i
			} else if matches(p, file) {
				return i
			}
		}
	}
	return others
}

func matches(pattern, file string) bool {
	ok, _ := path.Match(pattern, file)
	return ok
}

// isInterface reports whether a method is an interface's: who implements it is not known here.
func isInterface(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

// funcName returns the name of a function with its receiver.
func funcName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name() + "." + fn.Name()
	}
	return fn.Name()
}

// tree type-checks packages of this module by their sources, without function bodies but those of the package that
// is checked, and without other modules and the standard library: their types are unknown, which loses the calls
// on values that only they could give a type to. So the test needs no build.
type tree struct {
	fsys fs.FS
	fset *token.FileSet
	done map[string]*types.Package
}

// Import implements types.Importer.
func (tr *tree) Import(imp string) (*types.Package, error) {
	if p := tr.done[imp]; p != nil {
		return p, nil
	}
	dir, ok := ours(imp)
	if !ok {
		p := types.NewPackage(imp, path.Base(strings.TrimSuffix(imp, "/v2")))
		p.MarkComplete()
		tr.done[imp] = p
		return p, nil
	}
	files, err := tr.parse(dir)
	if err != nil {
		return nil, err
	}
	return tr.types(dir, files, nil), nil
}

// types checks the types of files; with info also those of function bodies.
func (tr *tree) types(dir string, files []*ast.File, info *types.Info) *types.Package {
	c := types.Config{Importer: tr, Error: func(error) {}, IgnoreFuncBodies: info == nil}
	p, _ := c.Check(module+"/"+dir, tr.fset, files, info)
	if info == nil {
		tr.done[module+"/"+dir] = p
	}
	return p
}

// parse returns the files of a package that are built for linux/amd64, without its tests.
func (tr *tree) parse(dir string) ([]*ast.File, error) {
	list, err := fs.ReadDir(tr.fsys, dir)
	if err != nil {
		return nil, err
	}
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH = "linux", "amd64"
	ctx.OpenFile = func(name string) (r io.ReadCloser, err error) { return tr.fsys.Open(filepath.ToSlash(name)) }
	var files []*ast.File
	for _, d := range list {
		name := path.Join(dir, d.Name())
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := ctx.MatchFile(dir, d.Name()); err != nil || !ok {
			continue
		}
		src, err := fs.ReadFile(tr.fsys, name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(tr.fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func (tr *tree) name(f *ast.File) string { return path.Base(tr.fset.Position(f.Pos()).Filename) }
