package project

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"

	"github.com/bbgen/bbgen/codegen"
)

// Peer lays a model's package out as a program in home. With an empty name the
// folder is the program and the package, called model, stands below it; with a
// name the folder is the package, and the program stands in cmd/NAME below it.
func Peer(home Home, name string, pkg []codegen.File, verbs codegen.Verbs) ([]codegen.File, error) {
	pkgDir, mainDir := "model", "."
	if name != "" {
		pkgDir, mainDir = ".", path.Join("cmd", name)
	}
	var out []codegen.File
	for _, f := range pkg {
		out = append(out, codegen.File{Path: path.Join(pkgDir, f.Path), Data: f.Data})
	}
	main, err := codegen.Main(path.Join(home.Import, pkgDir), verbs)
	if err != nil {
		return nil, err
	}
	out = append(out, codegen.File{Path: path.Join(mainDir, "main.go"), Data: main})
	if !home.Own {
		return out, nil
	}
	vendor, err := Vendor(home.Import, Imports(out))
	return append(out, vendor...), err
}

// Imports are the import paths of Go files, each once, sorted.
func Imports(files []codegen.File) []string {
	var out []string
	for _, f := range files {
		if path.Ext(f.Path) != ".go" {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, parser.ImportsOnly)
		if err != nil {
			panic("BUG: generated " + f.Path + ": " + err.Error())
		}
		for _, im := range parsed.Imports {
			p, _ := strconv.Unquote(im.Path.Value)
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
