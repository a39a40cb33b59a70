package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir/op"
	_ "github.com/bbgen/bbgen/ir/op/all"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// stage is a package that handles distributed programs.
type stage struct {
	dir   string
	names string // why it may compare the names of operators that compute; "" if it may not
}

var stages = []stage{
	{dir: "partitioner"},
	{dir: "partitioner/interpret"},
	{dir: "codegen"},
	{dir: "codegen/plan"},
	{dir: "codegen/peerplan"},
	{dir: "internal/bind"},
	{dir: "ir/engine"},
	{dir: "ir/train"},
	{dir: "ir/precision"},
	{dir: "ir/recompute"},
	{dir: "ir/pass", names: "a fusion is a pattern of operators, such as a MatMul and the Add after it, which it names"},
}

// TestOperatorNames: the stages of distributed programs read the columns of the table of operators: what an operator
// opens, what it gives away, what it packs. They compare neither operators nor their types and roles by name.
func TestOperatorNames(t *testing.T) {
	facts := peerFacts(t)
	for _, s := range stages {
		files, err := filepath.Glob(filepath.Join("../..", s.dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files: %v", s.dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, x := range facts.compared(t, file, nil, s.names != "") {
				t.Errorf("%s: give op.Peer a column instead, or package peer a constant", strings.TrimPrefix(x, "../../"))
			}
		}
	}
}

// TestOperatorNamesFound: the comparisons are found in all forms.
func TestOperatorNamesFound(t *testing.T) {
	facts := peerFacts(t)
	for _, c := range []struct {
		code        string
		here, named bool // found, and found where names of operators may be compared
	}{
		{`if n.Op == "Sleep" {}`, true, true},
		{`if n.Op != "Relu" {}`, true, false},
		{`if n.Op == m.Op {}`, true, false},
		{`if name == "Add" {}`, true, false}, // of numbers, or to a counter
		{`if name == "Contribute" {}`, true, true},
		{`switch n.Op { case "Relu": }`, true, false},
		{`switch name { case "a", "Aggregate": }`, true, true},
		{`if op.Lookup(n) == peer.Unbundle {}`, true, true},
		{`if n.Name != peer.BackendRun.Name {}`, true, true},
		{`switch o { case peer.After: }`, true, true},
		{`if t.Name == "trigger" {}`, true, true},
		{`if t.Name != peer.PeersType {}`, true, true},
		{`if r.Short == "skip" {}`, true, true},
		{`if n.Str("phase") == "bootstrap" {}`, true, true},
		{`if s.Role == "aggregator" {}`, true, true},
		{`if r.Short == peer.ShortSkips {}`, false, false},
		{`if op.OpensOf(n) == op.OpensRounds {}`, false, false},
		{`if name == "Transpose" {}`, false, false},
		{`x := "Sleep"`, false, false},
	} {
		src := "package p\nfunc f() {\n" + c.code + "\n}\n"
		if found := len(facts.compared(t, "f.go", src, false)) > 0; found != c.here {
			t.Errorf("%s: found: %v, want %v", c.code, found, c.here)
		}
		if found := len(facts.compared(t, "f.go", src, true)) > 0; found != c.named {
			t.Errorf("%s: found where operators are named: %v, want %v", c.code, found, c.named)
		}
	}
}

// names are what the rows of package peer are called.
type names struct {
	words    map[string]bool // operators, types, roles, phases and reactions, as in programs
	rows     map[string]bool // variables and constants of package peer
	computes map[string]bool // operators that compute, some of which have the name of one in package peer
}

func peerFacts(t *testing.T) *names {
	f := &names{words: map[string]bool{}, rows: map[string]bool{}, computes: map[string]bool{}}
	for _, o := range op.All() {
		f.computes[o.Name] = f.computes[o.Name] || o.Peer == nil
	}
	words := []string{peer.PeerType, peer.PeersType, peer.TriggerType, peer.AddressType, peer.PhaseBootstrap, peer.PhaseRunning}
	for _, o := range peer.Ops {
		words = append(words, o.Name)
		if role, ok := strings.CutPrefix(o.Domain, peer.RolePrefix); ok {
			words = append(words, role)
		}
	}
	for _, w := range append(words, peer.ShortRounds...) {
		f.words[w] = true
	}
	for _, row := range []string{"PeerType", "PeersType", "TriggerType", "AddressType"} {
		f.rows[row] = true
	}
	ast.Inspect(parsed(t, token.NewFileSet(), "../../ir/op/peer/ops.go", nil), func(n ast.Node) bool {
		if list, ok := n.(*ast.CompositeLit); ok {
			for _, row := range list.Elts {
				f.rows[row.(*ast.Ident).Name] = true
			}
		}
		return true
	})
	if len(f.rows) != len(peer.Ops)+4 {
		t.Fatalf("%d rows of package peer are found, want %d", len(f.rows)-4, len(peer.Ops))
	}
	return f
}

func parsed(t *testing.T, fset *token.FileSet, file string, src any) *ast.File {
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// compared returns the places of a file that compare something with a name. Those of operators that compute may be
// allowed.
func (f *names) compared(t *testing.T, file string, src any, named bool) (out []string) {
	fset := token.NewFileSet()
	look := func(all ...ast.Expr) {
		for _, x := range all {
			if why := f.name(x, named); why != "" {
				out = append(out, fmt.Sprintf("%s: a comparison with %s", fset.Position(x.Pos()), why))
			}
		}
	}
	ast.Inspect(parsed(t, fset, file, src), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				look(n.X, n.Y)
			}
		case *ast.CaseClause:
			look(n.List...)
		case *ast.SwitchStmt:
			if n.Tag != nil {
				look(n.Tag)
			}
		}
		return true
	})
	return out
}

// name returns the name that an operand of a comparison is, or "".
func (f *names) name(x ast.Expr, named bool) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(x.Value); err == nil && f.words[s] && !(named && f.computes[s]) {
			return x.Value
		}
	case *ast.SelectorExpr:
		if inner, ok := x.X.(*ast.SelectorExpr); ok && x.Sel.Name == "Name" {
			return f.name(inner, named)
		}
		if pkg, ok := x.X.(*ast.Ident); ok && pkg.Name == "peer" && f.rows[x.Sel.Name] {
			return "peer." + x.Sel.Name
		}
		if x.Sel.Name == "Op" && !named {
			return "the name of an operator"
		}
	}
	return ""
}
