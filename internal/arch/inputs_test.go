package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readers are the methods of nodes and of inference whose first argument is the position of an input.
var readers = []string{
	"Agree", "AgreeShape", "Arg", "ByteTensor", "CheckElems", "CheckFactors", "Consts", "Content", "FloatRank", "FloatTensor",
	"HasShape", "IndexTensor", "LikeInput0", "Rank", "Read", "Tensor", "Type",
}

// TestInputsByName: operators and passes read inputs by the names of the schema. The constants of operators are the keys of
// the ports, so that a name is where the schema has it; a test of ir/pass compares those of passes with the schemas.
func TestInputsByName(t *testing.T) {
	for root, names := range map[string]string{
		"../../ir/op":   "a constant beside the operator's row, which is also the key of its port",
		"../../ir/pass": "a constant of inputs.go",
	} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			positions, err := inputsByNumber(name, nil)
			for _, p := range positions {
				t.Errorf("%s: an input is read by its number: name it with %s, or with op.X, op.A or op.B", p, names)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestInputsByNumber shows what is refused.
func TestInputsByNumber(t *testing.T) {
	got, err := inputsByNumber("a.go", `package a

func f() {
	use(n.In[0], l.Node.In[1], n.In[x], n.In[1:], n.Out[0])
	use(n.Arg(2), c.Tensor(0), c.Rank(data, 1), c.Out(0, y))
}
`)
	if want := []string{"a.go:4:11", "a.go:4:25", "a.go:5:12", "a.go:5:25"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// inputsByNumber returns the places of a file where a literal is the position of an input. If src is nil, the file is
// read.
func inputsByNumber(name string, src any) (places []string, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		var at ast.Expr
		switch n := n.(type) {
		case *ast.IndexExpr:
			if s, ok := n.X.(*ast.SelectorExpr); ok && s.Sel.Name == "In" {
				at = n.Index
			}
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(readers, s.Sel.Name) && len(n.Args) > 0 {
				at = n.Args[0]
			}
		}
		if lit, ok := at.(*ast.BasicLit); ok && lit.Kind == token.INT {
			places = append(places, fmt.Sprint(fset.Position(lit.Pos())))
		}
		return true
	})
	return places, nil
}
