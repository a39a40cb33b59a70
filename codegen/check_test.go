package codegen_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bbgen/bbgen/codegen"
)

// checkCode reports files that are not formatted, and packages that the Go compiler would refuse, on machines
// with words of 64 and of 32 bits. Packages that do not exist, those of a fictitious author, may have any member.
func checkCode(t *testing.T, files []codegen.File) {
	t.Helper()
	fset := token.NewFileSet()
	folders := map[string][]*ast.File{}
	for _, f := range files {
		if !strings.HasSuffix(f.Path, ".go") {
			continue
		}
		formatted, err := format.Source(f.Bytes())
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
			continue
		}
		if !bytes.Equal(formatted, f.Bytes()) {
			t.Errorf("%s is not formatted", f.Path)
		}
		parsed, err := parser.ParseFile(fset, f.Path, f.Bytes(), parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
			continue
		}
		folders[path.Dir(f.Path)] = append(folders[path.Dir(f.Path)], parsed)
	}
	exports, err := exported()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		for _, arch := range []string{"amd64", "386"} {
			from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
				if exports[path] == "" {
					return nil, fmt.Errorf("no package %s", path)
				}
				return os.Open(exports[path])
			})
			if arch == "386" {
				from = shortInts{from}
			}
			check := types.Config{Importer: from, Sizes: types.SizesFor("gc", arch), Error: func(err error) {
				if !strings.Contains(err.Error(), "could not import example.com/") {
					t.Errorf("%s: %v", arch, err)
				}
			}}
			check.Check(folder, fset, folders[folder], nil)
		}
	}
}

// shortInts imports packages as they are on machines with words of 32 bits, as far as generated code depends on that.
type shortInts struct{ types.Importer }

func (x shortInts) Import(path string) (*types.Package, error) {
	p, err := x.Importer.Import(path)
	if path != "math" || err != nil {
		return p, err
	}
	short := types.NewPackage(path, p.Name())
	short.Scope().Insert(types.NewConst(token.NoPos, short, "MaxInt", types.Typ[types.UntypedInt], constant.MakeInt64(math.MaxInt32)))
	for _, name := range p.Scope().Names() {
		short.Scope().Insert(p.Scope().Lookup(name)) // not MaxInt, which is there
	}
	short.MarkComplete()
	return short, nil
}

// exported returns the files with what the packages export that generated code may import, by import path.
var exported = sync.OnceValues(func() (map[string]string, error) {
	const runtime = "github.com/bbgen/bbgen/runtime"
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}",
		runtime, runtime+"/cpu", runtime+"/cpu/imagedec", runtime+"/collective", runtime+"/component/checkpoint", runtime+"/component/trained",
		runtime+"/host/run", runtime+"/tensor/compare", "embed", "testing").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 {
			files[f[0]] = f[1]
		}
	}
	return files, nil
})
