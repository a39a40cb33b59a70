package project

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/bbgen/bbgen/codegen"
)

// usesRuntime is a program that imports a package of the runtime.
const usesRuntime = "package main\n\nimport (\n\t\"fmt\"\n\n\t\"" + Module + "/runtime/tensor\"\n)\n\nfunc main() { fmt.Println(tensor.Float32) }\n"

// TestVendored: a module of its own holds the sources of all packages that its code imports, directly or not, and of no
// others, so that it builds without a network. Tests of the runtime are not among them.
func TestVendored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "net")
	h := ownModule(dir)
	h.Dir = dir
	if err := Write(h, []codegen.File{ours("main.go", usesRuntime)}); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	var needed []string
	for _, name := range strings.Fields(tree(t, dir)) {
		there[strings.TrimPrefix(path.Dir(name), "vendor/")] = true
		if strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s is written", name)
		}
		if path.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, filepath.FromSlash(name)), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, im := range f.Imports {
			p, _ := strconv.Unquote(im.Path.Value)
			needed = append(needed, p)
		}
	}
	for _, p := range needed {
		if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") && !there[p] {
			t.Errorf("%s is imported and not written", p)
		}
	}
	for p := range there {
		if strings.HasPrefix(p, Module) && !slices.Contains(needed, p) {
			t.Errorf("%s is written, and nothing imports it", p)
		}
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !isOurs(mod) || modfile.ModulePath(mod) != "bbgen.local/net" || !requires(mod, Module) {
		t.Errorf("go.mod is %s, %v", mod, err)
	}
	if again, err := Find(dir); err != nil || !again.Own {
		t.Errorf("the next run finds %+v, %v", again, err)
	}
}

// TestVendoredAgain writes a module over that of another bbgen, whose runtime had more files.
func TestVendoredAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "net")
	h := Home{Dir: dir, Import: "bbgen.local/net", Own: true}
	files := []codegen.File{ours("main.go", "package main\n\nimport _ \""+Module+"/runtime/tensor\"\n\nfunc main() {}\n")}
	if err := Write(h, files); err != nil {
		t.Fatal(err)
	}
	want := tree(t, dir)
	put(t, filepath.Join(dir, "vendor", filepath.FromSlash(Module), "runtime", "tensor", "old.go"), "package tensor\n")
	if err := Write(h, files); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, dir); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestGoBuild builds a module without a network and with what stands in its vendor folder, and for another platform. If
// it does not compile, the error has what the compiler said.
func TestGoBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "net")
	h := Home{Dir: dir, Import: "bbgen.local/net", Own: true}
	if err := Write(h, []codegen.File{ours("main.go", "package main\n\nfunc main() {}\n")}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	bin := filepath.Join(t.TempDir(), "net")
	if err := GoBuild(dir, bin); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := GoBuild(dir, "net"); err != nil {
		t.Errorf("into the current folder: %v", err)
	}
	first := bin + "1"
	for _, name := range []string{first, bin} {
		if err := BuildFor(dir, name, []string{"GOFLAGS="}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := os.ReadFile(first)
	b, err2 := os.ReadFile(bin)
	if err != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("two builds differ: %v, %v", err, err2)
	}
	put(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() { wrong() }\n")
	if err := GoBuild(dir, bin); err == nil || !strings.Contains(err.Error(), "undefined: wrong") {
		t.Errorf("code that does not compile: %v", err)
	}
}

// TestBuildForVendored: a module of its own is built from its vendor folder, whatever GOFLAGS says of others.
func TestBuildForVendored(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the runtime")
	}
	dir := filepath.Join(t.TempDir(), "net")
	h := Home{Dir: dir, Import: "bbgen.local/net", Own: true}
	if err := Write(h, []codegen.File{ours("main.go", usesRuntime)}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	if err := BuildFor(dir, filepath.Join(t.TempDir(), "net"), nil); err != nil {
		t.Error(err)
	}
}

// TestVendoredLink: the vendor folder may be in another place.
func TestVendoredLink(t *testing.T) {
	dir, elsewhere := filepath.Join(t.TempDir(), "net"), t.TempDir()
	h := Home{Dir: dir, Import: "bbgen.local/net", Own: true}
	files := []codegen.File{ours("main.go", "package main\n\nfunc main() {}\n")}
	if err := Write(h, files); err != nil {
		t.Fatal(err)
	}
	vendor := filepath.Join(dir, "vendor")
	if err := os.RemoveAll(vendor); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, vendor); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Write(h, files); err != nil {
			t.Fatal(err)
		}
	}
	if st, err := os.Lstat(vendor); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has become %v (error %v)", st, err)
	}
	if got := tree(t, elsewhere); got != "modules.txt" {
		t.Errorf("there are %s", got)
	}
}
