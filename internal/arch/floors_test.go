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
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestFloors: within the packages of the table, no call goes up a floor, and files of a floor call each other in a
// circle only if the floor says why.
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
	for _, p := range []string{"ir", "ir/op", "ir/eval", "ir/pass", "dsl", "runtime", "codegen", "codegen/plan", "codegen/peerplan", "partitioner", "runtime/host/peer"} {
		if !slices.Contains(listed, p) {
			t.Errorf("%s has no row in the table of floors", p)
		}
	}
}

// TestFloorsCheck shows the errors, with small packages.
func TestFloorsCheck(t *testing.T) {
	h := house{pkg: "p", floors: []floor{
		{name: "state", files: []string{"state.go"}, why: "it decides, and is tested alone"},
		{name: "node", files: []string{rest}, why: "it carries out"},
		{name: "face", files: []string{"face*.go"}, why: "hosts call it, and nothing below"},
	}}
	const state, node, face = "package p\ntype S struct{}\nfunc (s *S) Step() {}\n", "package p\ntype N struct{ s S }\nfunc (n *N) run() { n.s.Step() }\n", "package p\nfunc (n *N) Poll() { n.run() }\n"
	const other = "package p\nfunc (n *N) other() { n.Poll() }\n"
	tests := []struct{ file, more, want string }{
		{"a.go", "", ""},
		{"state.go", "func (s *S) up(n *N) { n.run() }", "p/state.go:4: N.run is on floor node (a.go), above floor state: it decides, and is tested alone"},
		{"a.go", "func (n *N) up() { defer n.Poll() }", "p/a.go:4: N.Poll is on floor face (face1.go), above floor node: it carries out"},
		{"a.go", "var poll = (*N).Poll", "p/a.go:4: N.Poll is on floor face (face1.go), above floor node: it carries out"},
		{"state.go", "func (s *S) refers(*N) {}", ""}, // a type is no call
		{"face1.go", "func (n *N) Again() { n.Poll(); n.s.Step() }", ""},
		{"face2.go", "func (n *N) Again() { n.Poll() }", ""},
		{"face2.go", "func (n *N) Again() { n.Poll() }\nfunc (n *N) again() { n.Again() }", ""}, // a circle in one file
		{"face1.go", "func (n *N) Again() { n.other() }", "p: face1.go, face2.go call each other in a circle: which part of them do the others need?"},
	}
	for _, tt := range tests {
		fsys := fstest.MapFS{}
		for name, src := range map[string]string{"state.go": state, "a.go": node, "face1.go": face, "face2.go": other} {
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
	h.floors = append(h.floors, floor{name: "attic", files: []string{"gone.go"}, why: "-"})
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
	calls := h.calls(tr, files)
	for _, c := range calls {
		if low, high := h.floorOf(c.file()), h.floorOf(c.to); low < high {
			problems = append(problems, fmt.Sprintf("%s:%d: %s is on floor %s (%s), above floor %s: %s",
				c.from.Filename, c.from.Line, c.name, h.floors[high].name, c.to, h.floors[low].name, h.floors[low].why))
		}
	}
	if problems != nil {
		return problems, nil
	}
	return h.checkCircles(calls), nil
}

// checkCircles returns the circles of files on floors that give no reason for one, and the reasons without a circle.
func (h *house) checkCircles(calls []call) (problems []string) {
	round := map[string]bool{} // floors that have a circle
	for _, c := range circles(calls) {
		f := h.floors[h.floorOf(c[0])]
		if round[f.name] = true; f.circle == "" {
			problems = append(problems, fmt.Sprintf("%s: %s call each other in a circle: which part of them do the others need?", h.pkg, strings.Join(c, ", ")))
		}
	}
	for _, f := range h.floors {
		if f.circle != "" && !round[f.name] {
			problems = append(problems, fmt.Sprintf("%s: no files of floor %s call each other in a circle: it needs no reason for one", h.pkg, f.name))
		}
	}
	return problems
}

// call is the use of a function or method of the same package.
type call struct {
	from token.Position
	to   string // the file of the function
	name string
}

func (c call) file() string { return path.Base(c.from.Filename) }

// calls returns the uses of functions and methods among files of a package, in order.
func (h *house) calls(tr *tree, files []*ast.File) (list []call) {
	uses := map[*ast.Ident]types.Object{}
	pkg := tr.types(h.pkg, files, &types.Info{Uses: uses})
	for id, used := range uses {
		if fn, ok := used.(*types.Func); ok && fn.Pkg() == pkg && !isInterface(fn) {
			fn = fn.Origin()
			list = append(list, call{tr.fset.Position(id.Pos()), path.Base(tr.fset.Position(fn.Pos()).Filename), funcName(fn)})
		}
	}
	slices.SortFunc(list, func(a, b call) int {
		if a.from.Filename != b.from.Filename {
			return strings.Compare(a.from.Filename, b.from.Filename)
		}
		return a.from.Offset - b.from.Offset
	})
	return list
}

// circles returns the largest sets of files that call each other in a circle, directly or by way of others.
func circles(calls []call) (list [][]string) {
	reach := map[string]map[string]bool{}
	for _, c := range calls {
		if reach[c.file()] == nil {
			reach[c.file()] = map[string]bool{}
		}
		reach[c.file()][c.to] = true
	}
	for via, on := range reach {
		for _, from := range reach {
			if from[via] {
				maps.Copy(from, on)
			}
		}
	}
	done := map[string]bool{}
	for _, a := range slices.Sorted(maps.Keys(reach)) {
		circle := []string{a}
		for _, b := range slices.Sorted(maps.Keys(reach)) {
			if a != b && !done[a] && reach[a][b] && reach[b][a] {
				circle, done[b] = append(circle, b), true
			}
		}
		if len(circle) > 1 {
			list = append(list, circle)
		}
	}
	return list
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
