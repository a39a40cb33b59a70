package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
)

// documentation returns the doc comments of Go's standard library, in the order of
// its packages and files.
func documentation(root string) (string, error) {
	var out strings.Builder
	fsys := os.DirFS(root)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped[d.Name()]:
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil // not meant to compile
		}
		out.WriteString(f.Doc.Text())
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				out.WriteString(d.Doc.Text())
			case *ast.GenDecl:
				out.WriteString(d.Doc.Text())
			}
		}
		return nil
	})
	return out.String(), err
}

// skipped are folders with comments that are not documentation.
var skipped = map[string]bool{"testdata": true, "vendor": true, "internal": true, "cmd": true}
