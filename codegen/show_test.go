package codegen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/golden"
)

// show compares the generated code that the section show of an archive lists. A line is a file, or a file and
// one of its declarations: "graph.bb.go context.run". All files must compile.
func show(t *testing.T, a *golden.Archive, files []codegen.File) {
	t.Helper()
	checkCode(t, files)
	for line := range strings.Lines(a.Get("show")) {
		line = strings.TrimSpace(line)
		name, decl, _ := strings.Cut(line, " ")
		i := slices.IndexFunc(files, func(f codegen.File) bool { return f.Path == name })
		if i < 0 {
			t.Errorf("there is no file %s; there are: %s", name, paths(files))
			continue
		}
		text := string(files[i].Bytes())
		if decl != "" {
			text = declaration(t, name, text, decl)
		}
		a.Check("out/"+line, text)
	}
}

func paths(files []codegen.File) string {
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	return strings.Join(names, ", ")
}

// declaration returns a function, a method or a type of a file, with its comment.
func declaration(t *testing.T, file, src, name string) string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range f.Decls {
		id, doc := nameOf(d)
		if id == name {
			from := d.Pos()
			if doc != nil {
				from = doc.Pos()
			}
			return src[fset.Position(from).Offset:fset.Position(d.End()).Offset]
		}
		names = append(names, id)
	}
	t.Fatalf("%s has no declaration %s; it has: %s", file, name, strings.Join(names, ", "))
	return ""
}

func nameOf(d ast.Decl) (name string, doc *ast.CommentGroup) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name, d.Doc
		}
		return strings.TrimPrefix(receiver(d.Recv.List[0].Type), "*") + "." + d.Name.Name, d.Doc
	case *ast.GenDecl:
		switch s := d.Specs[0].(type) {
		case *ast.TypeSpec:
			return s.Name.Name, d.Doc
		case *ast.ValueSpec:
			return s.Names[0].Name, d.Doc
		}
	}
	return "", nil
}

func receiver(x ast.Expr) string {
	if s, ok := x.(*ast.StarExpr); ok {
		x = s.X
	}
	return x.(*ast.Ident).Name
}
