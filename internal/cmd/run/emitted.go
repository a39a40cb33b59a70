package run

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// emitted returns the names of the outputs that the generated code of a class gives its host, sorted. They are
// the names in calls such as
//
//	n.Emit(&f.Frame, "accuracy", tensor.Of([]float32{f.accuracy}))
//
// A class whose code is elsewhere has none.
func emitted(dir, class string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(filepath.Join(dir, class), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".bb.go") {
			return err
		}
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(source, func(n ast.Node) bool {
			if name := outputOf(n); name != "" {
				names = append(names, name)
			}
			return true
		})
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// outputOf returns the name in a call of Emit, or "" for another node.
func outputOf(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 3 {
		return ""
	}
	if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Emit" {
		return ""
	}
	lit, ok := call.Args[1].(*ast.BasicLit)
	if !ok {
		return ""
	}
	name, _ := strconv.Unquote(lit.Value)
	return name
}
