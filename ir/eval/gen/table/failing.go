package table

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Failing returns the text of failing.go for the package in dir and those below it: the kernels that can fail
// for some data. They are found in the source: a kernel can fail if it mentions the function fail, directly
// or indirectly.
func Failing(dir string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(header)
	b.WriteString("// failing is every kernel that data can make fail, and on which elements.\nvar failing = map[string]failure{\n")
	for _, pkg := range append([]string{""}, inner...) {
		d, err := readDecls(filepath.Join(dir, pkg))
		if err != nil {
			return nil, err
		}
		always, whole := d.leadTo("fail", "failIfZero"), d.leadTo("failIfZero", "")
		for _, k := range slices.Sorted(maps.Keys(d.kernels)) {
			name, fn := strings.TrimPrefix(pkg+"."+k, "."), d.kernels[k]
			switch {
			case always[fn]:
				fmt.Fprintf(&b, "\t%q: onAll,\n", name)
			case whole[fn]:
				fmt.Fprintf(&b, "\t%q: onWholeNumbers,\n", name)
			}
		}
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

// decls is the declarations of a package.
type decls struct {
	mentions map[types.Object]map[types.Object]bool // what a declaration mentions; a type mentions its methods
	kernels  map[string]types.Object
	info     *types.Info
}

// readDecls reads the package in dir. Other packages are not needed.
func readDecls(dir string) (*decls, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, f := range names {
		if strings.HasSuffix(f, "_test.go") || !portable(f) && !strings.HasSuffix(f, "_noasm.go") {
			continue
		}
		parsed, err := parser.ParseFile(fset, f, nil, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, parsed)
	}
	d := &decls{map[types.Object]map[types.Object]bool{}, map[string]types.Object{}, &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}}
	conf := types.Config{Importer: nothing{}, Error: func(error) {}}
	conf.Check(dir, fset, files, d.info) // missing imports are errors, which do not matter here
	for _, f := range files {
		for _, x := range f.Decls {
			d.add(x)
		}
	}
	return d, nil
}

// nothing is an importer without packages.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) { return nil, fmt.Errorf("no %s", path) }

func (d *decls) add(x ast.Decl) {
	switch x := x.(type) {
	case *ast.FuncDecl:
		fn := d.info.Defs[x.Name]
		if x.Recv != nil {
			d.mention(d.info.Uses[receiver(x.Recv.List[0].Type)], x.Name)
			d.mention(fn, x.Body)
			return
		}
		if isKernel(x) {
			d.kernels[x.Name.Name] = fn
		}
		d.mention(fn, x)
	case *ast.GenDecl:
		for _, s := range x.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				d.mention(d.info.Defs[s.Name], s.Type)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					d.mention(d.info.Defs[n], s)
				}
			}
		}
	}
}

// receiver returns the type to which a method belongs.
func receiver(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	}
	return e.(*ast.Ident)
}

// mention records what an object's declaration mentions.
func (d *decls) mention(of types.Object, n ast.Node) {
	if d.mentions[of] == nil {
		d.mentions[of] = map[types.Object]bool{}
	}
	if n == nil || n == (*ast.BlockStmt)(nil) { // a function in assembly
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if x := d.info.ObjectOf(id); x != nil && x != of {
				if f, ok := x.(*types.Func); ok {
					x = f.Origin()
				}
				d.mentions[of][x] = true
			}
		}
		return true
	})
}

// leadTo returns the declarations that lead to the function fn, except those that only do so through the one
// named not.
func (d *decls) leadTo(fn, not string) map[types.Object]bool {
	found := map[types.Object]bool{}
	for more := true; more; {
		more = false
		for x, mentions := range d.mentions {
			if found[x] || x == nil || x.Name() == not {
				continue
			}
			for m := range mentions {
				if _, ok := m.(*types.Func); ok && m.Name() == fn || found[m] {
					found[x], more = true, true
					break
				}
			}
		}
	}
	return found
}
