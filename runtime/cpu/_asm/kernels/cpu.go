package kernels

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"path/filepath"
	"sync"

	"github.com/mmcloughlin/avo/gotypes"
)

// dir is the folder of package cpu; generators run in _asm.
const dir = ".."

// cpu returns the types of package cpu for amd64. Imports and bodies are not needed: what depends on an import has an
// invalid type, which is an error where it is used.
var cpu = sync.OnceValue(func() *types.Package {
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled = "linux", "amd64", false
	folder, err := ctx.ImportDir(dir, 0)
	if err != nil {
		log.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range folder.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			log.Fatal(err)
		}
		files = append(files, f)
	}
	c := types.Config{Importer: noImports{}, Error: func(error) {}, IgnoreFuncBodies: true, Sizes: gotypes.Sizes}
	pkg, _ := c.Check("cpu", fset, files, nil)
	return pkg
})

type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return nil, fmt.Errorf("%s is not read", path)
}

// typeOf returns the type of an expression in package cpu.
func typeOf(expr string) types.Type {
	tv, err := types.Eval(token.NewFileSet(), cpu(), token.NoPos, expr)
	if err != nil {
		log.Fatalf("package cpu: %s: %v", expr, err)
	}
	return tv.Type
}

// A Struct is a type of package cpu whose fields assembly reads.
type Struct struct {
	name string
	typ  *types.Struct
}

// StructOf returns a struct of package cpu.
func StructOf(name string) Struct {
	s, ok := typeOf(name).Underlying().(*types.Struct)
	if !ok {
		log.Fatalf("package cpu: %s is no struct", name)
	}
	return Struct{name, s}
}

// Offset returns the offset of a field in bytes. The file of declarations checks it.
func (s Struct) Offset(field string) int {
	var fields []*types.Var
	for v := range s.typ.Fields() {
		fields = append(fields, v)
	}
	for i, off := range gotypes.Sizes.Offsetsof(fields) {
		if bad := fields[i].Type() == types.Typ[types.Invalid]; bad {
			log.Fatalf("package cpu: %s.%s has a type of another package, so nothing after it has a known offset", s.name, fields[i].Name())
		}
		if fields[i].Name() == field {
			offsets[offset{s.name, field}] = int(off)
			return int(off)
		}
	}
	log.Fatalf("package cpu: %s has no field %s", s.name, field)
	return 0
}

// Size returns the size in bytes, which is checked likewise.
func (s Struct) Size() int {
	size := int(gotypes.Sizes.Sizeof(s.typ))
	offsets[offset{s.name, ""}] = size
	return size
}

// offset is a field that assembly reads, or the end of a struct, which has no name.
type offset struct{ name, field string }

var offsets = map[offset]int{}
