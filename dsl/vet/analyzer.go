package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// Analyzer finds mistakes in packages with programs.
var Analyzer = &analysis.Analyzer{
	Name: "dslvet",
	Doc: `report mistakes in programs written with bbgen/dsl

It reports results of operators that are not used, values that are sent to no input,
inputs to which nothing is sent, and quorums that are larger than the number of peers.`,
	URL:      "https://pkg.go.dev/github.com/bbgen/bbgen/dsl/vet",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

// dslPath is the import path of package dsl.
const dslPath = "github.com/bbgen/bbgen/dsl"

// program is the package being analyzed.
type program struct {
	*analysis.Pass
	calls []*call
	once  map[types.Object]ast.Expr // the values of variables that are assigned only where they are declared
}

// call is a call of a function or method of package dsl.
type call struct {
	*ast.CallExpr
	of    string // the receiver's type, such as Graph or Aggregator; "" for a function
	name  string
	alone bool // it is a statement, and its result is unused
}

func run(pass *analysis.Pass) (any, error) {
	if pass.Pkg.Path() == dslPath || !imports(pass.Pkg) {
		return nil, nil
	}
	p := &program{Pass: pass, once: map[types.Object]ast.Expr{}}
	p.read(pass.ResultOf[inspect.Analyzer].(*inspector.Inspector))
	p.unread()
	p.ports()
	p.quorums()
	return nil, nil
}

func imports(p *types.Package) bool {
	for _, i := range p.Imports() {
		if i.Path() == dslPath {
			return true
		}
	}
	return false
}

// read finds the calls of package dsl and the values of variables.
func (p *program) read(in *inspector.Inspector) {
	changed := map[types.Object]bool{}
	nodes := []ast.Node{(*ast.CallExpr)(nil), (*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil), (*ast.IncDecStmt)(nil), (*ast.RangeStmt)(nil), (*ast.UnaryExpr)(nil)}
	in.WithStack(nodes, func(n ast.Node, push bool, stack []ast.Node) bool {
		if !push {
			return true
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			if c := p.callOf(n); c != nil {
				_, c.alone = stack[len(stack)-2].(*ast.ExprStmt)
				p.calls = append(p.calls, c)
			}
		case *ast.AssignStmt:
			p.assign(n.Lhs, n.Rhs, changed)
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if len(n.Names) == len(n.Values) {
					p.assign([]ast.Expr{id}, n.Values[i:i+1], changed)
				}
			}
		case *ast.IncDecStmt:
			p.assign([]ast.Expr{n.X}, nil, changed)
		case *ast.RangeStmt:
			p.assign([]ast.Expr{n.Key, n.Value}, nil, changed)
		case *ast.UnaryExpr:
			if n.Op == token.AND { // the variable may be changed through its address
				p.assign([]ast.Expr{n.X}, nil, changed)
			}
		}
		return true
	})
	for o := range changed {
		delete(p.once, o)
	}
}

// assign records the values of declared variables, and marks variables with unknown values: a parameter or a variable
// that was declared before may have another value where it is read.
func (p *program) assign(to, values []ast.Expr, changed map[types.Object]bool) {
	for i, x := range to {
		id, ok := x.(*ast.Ident)
		if !ok {
			continue
		}
		o := p.TypesInfo.Defs[id]
		if o == nil || len(to) != len(values) {
			changed[p.TypesInfo.ObjectOf(id)] = true
			continue
		}
		p.once[o] = values[i]
	}
}

// callOf returns c as a call of package dsl, or nil if it is another call.
func (p *program) callOf(c *ast.CallExpr) *call {
	var id *ast.Ident
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	f, ok := p.TypesInfo.ObjectOf(id).(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != dslPath {
		return nil
	}
	out := &call{CallExpr: c, name: f.Name()}
	if r := f.Signature().Recv(); r != nil {
		t := r.Type()
		if ptr, ok := t.(*types.Pointer); ok {
			t = ptr.Elem()
		}
		if n, ok := t.(*types.Named); ok {
			out.of = n.Obj().Name()
		}
	}
	return out
}

// value returns the expression assigned to a variable, if x is a variable that is assigned once, and x
// otherwise.
func (p *program) value(x ast.Expr) ast.Expr {
	for range 10 { // a := b; b := a is not valid, but must not loop forever
		id, ok := ast.Unparen(x).(*ast.Ident)
		if !ok {
			break
		}
		v, ok := p.once[p.TypesInfo.ObjectOf(id)]
		if !ok {
			break
		}
		x = v
	}
	return ast.Unparen(x)
}

// made returns the call of package dsl that a value comes from, or nil if that is not known here.
func (p *program) made(x ast.Expr) *call {
	if c, ok := p.value(x).(*ast.CallExpr); ok {
		return p.callOf(c)
	}
	return nil
}
