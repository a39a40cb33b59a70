package deploy

import (
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// mainFile is a main.go that bbgen wrote.
type mainFile struct {
	dir  string
	file *ast.File
}

func readMain(file string) (*mainFile, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &mainFile{filepath.Dir(file), f}, nil
}

// imports returns the path of an import that ends as given, "" if there is none.
func (m *mainFile) imports(end string) string {
	for _, s := range m.file.Imports {
		if imp, _ := strconv.Unquote(s.Path.Value); imp == end || strings.HasSuffix(imp, "/"+end) {
			return imp
		}
	}
	return ""
}

// text returns a field of the program, "" if it is no string literal.
func (m *mainFile) text(field string) string { return textOf(m.file, field) }

// modelDir returns the folder of the model's package: above a main in cmd, below one beside go.mod.
func (m *mainFile) modelDir() string {
	if up := filepath.Dir(m.dir); filepath.Base(up) == "cmd" {
		return filepath.Dir(up)
	}
	for _, s := range m.file.Imports {
		imp, _ := strconv.Unquote(s.Path.Value)
		dir := filepath.Join(m.dir, path.Base(imp))
		if _, err := os.Stat(filepath.Join(dir, "tensors.bb.go")); err == nil {
			return dir
		}
	}
	return filepath.Join(m.dir, "model")
}

// fingerprint is that of the program, as the partition of the class has it or, where
// several are joined, of one of them.
func (m *mainFile) fingerprint() (string, error) {
	class := path.Base(path.Dir(m.imports("partition")))
	file := filepath.Join(filepath.Dir(m.dir), class, "partition", "partition.bb.go")
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", fmt.Errorf("%w: generate the program again", err)
	}
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range decl.Specs {
			v, ok := s.(*ast.ValueSpec)
			if ok && len(v.Values) == 1 && v.Names[0].Name == "Fingerprint" {
				return hex.EncodeToString([]byte(unquoted(v.Values[0]))), nil
			}
		}
	}
	return "", fmt.Errorf("%s: found no constant Fingerprint: generate the program again", file)
}

// textOf returns a field of the literal of a Program in a file, "" if it is no string literal.
func textOf(f *ast.File, field string) string {
	found := ""
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if t, ok := lit.Type.(*ast.SelectorExpr); !ok || t.Sel.Name != "Program" {
			return true
		}
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == field {
				found = unquoted(kv.Value)
			}
		}
		return false
	})
	return found
}

// unquoted returns the value of a string literal, "" of another expression.
func unquoted(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		s, _ := strconv.Unquote(lit.Value)
		return s
	}
	return ""
}
