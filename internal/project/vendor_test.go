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

	"github.com/bbgen/bbgen/codegen"
)

// TestVendored: a module of its own holds the sources of all packages that its code imports, directly or not, and of no
// others, so that it builds without a network. Tests of the runtime are not among them.
func TestVendored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "net")
	h := ownModule(dir)
	h.Dir = dir
	code := "package main\n\nimport (\n\t\"fmt\"\n\n\t\"" + Module + "/runtime/tensor\"\n)\n\nfunc main() { fmt.Println(tensor.Float32) }\n"
	if err := Write(h, []codegen.File{ours("main.go", code)}); err != nil {
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
	if err != nil || !isOurs(mod) || moduleName(mod) != "bbgen.local/net" || !requires(mod, Module) {
		t.Errorf("go.mod is %s, %v", mod, err)
	}
	if again, err := Find(dir); err != nil || !again.Own {
		t.Errorf("the next run finds %+v, %v", again, err)
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
