package table

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"slices"
)

// notArguments are types of constants that no call has as an argument.
var notArguments = []string{"Level"} // the instructions of a machine

// Constants returns the text of constants.go for the package in dir: the exported constants with a type.
func Constants(dir string) ([]byte, error) {
	files, err := parse(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				names = append(names, typed(g)...)
			}
		}
	}
	slices.Sort(names)
	var b bytes.Buffer
	b.WriteString(header + "import \"github.com/bbgen/bbgen/runtime/cpu\"\n\n")
	b.WriteString("// constants is every constant that can be an argument of a kernel.\nvar constants = map[string]int{\n")
	for _, name := range names {
		fmt.Fprintf(&b, "\t%q: int(cpu.%s),\n", name, name)
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

// typed returns the exported constants of a declaration that have a type of the package. One without a value has the
// type of the constant before it.
func typed(g *ast.GenDecl) (names []string) {
	own := false
	for _, s := range g.Specs {
		v := s.(*ast.ValueSpec)
		if v.Type != nil || v.Values != nil {
			typ, ok := v.Type.(*ast.Ident)
			own = ok && typ.IsExported() && !slices.Contains(notArguments, typ.Name)
		}
		for _, n := range v.Names {
			if own && n.IsExported() {
				names = append(names, n.Name)
			}
		}
	}
	return names
}
