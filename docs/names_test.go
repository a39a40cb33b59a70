package docs

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// packages are the packages that documents mention as PACKAGE.Name.
var packages = map[string]string{
	"dsl": "dsl", "runtime": "runtime", "tensor": "runtime/tensor", "cpu": "runtime/cpu", "wire": "runtime/wire",
	"fedavg": "runtime/component/fedavg", "shard": "runtime/component/shard", "stream": "runtime/component/stream", "backend": "runtime/component/backend", "peers": "runtime/component/peers",
	"registry": "runtime/component/registry", "sampling": "runtime/component/sampling", "flat": "runtime/component/flat",
	"hnsw": "runtime/component/hnsw", "nearest": "runtime/component/nearest",
	"codec": "runtime/component/codec", "fedopt": "runtime/component/fedopt", "qfedavg": "runtime/component/qfedavg",
	"median": "runtime/component/robust/median", "trimmed": "runtime/component/robust/trimmed", "krum": "runtime/component/robust/krum",
	"dp": "runtime/component/dp", "accountant": "runtime/component/dp/accountant", "secagg": "runtime/component/secagg", "secure": "dsl/secure",
	"replicated": "dsl/replicated", "raft": "runtime/component/raft",
	"bulyan": "runtime/component/robust/bulyan", "geomedian": "runtime/component/robust/geomedian", "normbound": "runtime/component/robust/normbound",
}

// TestNames checks that the Go names in the documents exist.
func TestNames(t *testing.T) {
	known, err := exported(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages(t) {
		if err := p.names(known); err != nil {
			t.Error(err)
		}
	}
}

// exported returns the exported names of packages, as PACKAGE.Name, and the methods of dsl.Graph as g.Name.
func exported(root string) (map[string]bool, error) {
	known := map[string]bool{}
	for name, dir := range packages {
		fset := token.NewFileSet()
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, d := range f.Decls {
				for _, n := range declared(d, name) {
					known[n] = true
				}
			}
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: %w", dir, fs.ErrNotExist)
		}
	}
	return known, nil
}

// declared returns the names that a declaration declares.
func declared(d ast.Decl, pkg string) []string {
	var list []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{pkg + "." + d.Name.Name}
		}
		if star, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok && pkg == "dsl" {
			if id, ok := star.X.(*ast.Ident); ok && id.Name == "Graph" {
				return []string{"g." + d.Name.Name}
			}
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				list = append(list, pkg+"."+s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					list = append(list, pkg+"."+n.Name)
				}
			}
		}
	}
	return list
}

var (
	span   = regexp.MustCompile("`([^`]+)`")
	goName = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)`)
)

// names returns the Go names in the text of a page that do not exist.
func (p *page) names(known map[string]bool) error {
	var all []error
	for _, l := range p.prose {
		for _, s := range span.FindAllStringSubmatch(l.text, -1) {
			for _, m := range goName.FindAllStringSubmatch(s[1], -1) {
				if _, ok := packages[m[1]]; (ok || m[1] == "g") && !known[m[0]] {
					all = append(all, fmt.Errorf("%s:%d: there is no %s", p.name, l.number, m[0]))
				}
			}
		}
	}
	return errors.Join(all...)
}
