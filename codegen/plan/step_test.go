package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	_ "github.com/bbgen/bbgen/ir/op/all"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// stepCase says what holds for a type of step.
type stepCase struct {
	step   Step
	order  order
	binds  []string
	node   string
	calls  int  // number of kernel calls that run where it stands
	rolls  bool // it can be part of a block
	unread bool // it is needed though nothing reads what it writes
}

// stepCases returns a step of each type. All of them use the variables x and y, and no size.
func stepCases() (*Plan, []stepCase) {
	typ := ir.Type{Elem: tensor.Float32, Shape: []ir.Dim{ir.C(4)}}
	v, w := &ir.Value{Name: "v", Type: typ}, &ir.Value{Name: "w", Type: typ}
	n := &ir.Node{Op: "Relu", Name: "n", In: []*ir.Value{v}, Out: []*ir.Value{w}}
	w.Def = n
	x, y := &Var{Value: v, Type: typ, Len: ir.C(4)}, &Var{Value: w, Type: typ, Len: ir.C(4)}
	p := &Plan{Vars: []*Var{x, y}, byValue: map[*ir.Value]*Var{v: x, w: y}, scratch: map[*ir.Value]bool{}}
	call := func() *Call {
		return &Call{Call: op.Call{Kernel: "Relu", Args: []any{w, v}, Binds: []string{"k"}}, Node: n}
	}
	plain := &Call{Call: op.Call{Kernel: "Relu", Args: []any{w, v}}, Node: n}
	chain := &Chain{Calls: []*Call{plain, plain}, Rows: ir.C(1), Len: ir.C(4), Operands: []*Operand{{Value: v, Written: -1}, {Value: w, Read: -1}}}
	body := func() []Step { return []Step{&Copy{Dst: y, Src: x}} }
	const node = `node "n" (Relu)`
	block := &Block{Steps: []Step{plain}, Count: 1}
	return p, []stepCase{
		{step: call(), binds: []string{"k"}, node: node, calls: 1},
		{step: chain, node: node, calls: 2, rolls: true},
		{step: &Grow{y}, rolls: true},
		{step: &Copy{Dst: y, Src: x}},
		{step: &Clear{y}},
		{step: &Append{y, x}},
		{step: &Row{Dst: y, Src: x, Len: ir.C(2), Rows: ir.C(2)}},
		{step: &Bind{[]string{"s"}, []any{Elem{x, 0}}}, binds: []string{"s"}},
		{step: &If{Node: n, Cond: x, Then: body()}, order: either, node: node, unread: true},
		{step: &Loop{Node: n, Cond: x, Count: "s", Body: body()}, order: repeated, binds: []string{"s"}, node: node, unread: true},
		{step: &Scan{Node: n, Rows: ir.C(2), Slices: []*Slice{{Dst: y, Src: x, Len: ir.C(2)}}}, order: repeated, node: node, unread: true},
		{step: &Rolled{Block: block, Steps: []Step{plain, &Grow{y}, plain}}, order: inlined, calls: 2, unread: true},
	}
}

// TestSteps goes through a step of each type, so that a new type is in every table.
func TestSteps(t *testing.T) {
	p, cases := stepCases()
	for _, c := range cases {
		name := reflect.TypeOf(c.step).Elem().Name()
		if c.step.order() != c.order {
			t.Errorf("%s: its bodies run in order %d, want %d", name, c.step.order(), c.order)
		}
		want := map[order]int{straight: 0, either: 2, repeated: 2, inlined: 1}[c.order]
		if n := len(c.step.bodies()); n != want {
			t.Errorf("%s: it has %d bodies, and its order says %d", name, n, want)
		}
		if got := c.step.binds(); !slices.Equal(got, c.binds) {
			t.Errorf("%s: it binds %q, want %q", name, got, c.binds)
		}
		if got := nameOf(c.step.node()); got != c.node {
			t.Errorf("%s: its node is %q, want %q", name, got, c.node)
		}
		if n := len(Calls(c.step)); n != c.calls {
			t.Errorf("%s: %d kernel calls run, want %d", name, n, c.calls)
		}
		if rolls := p.token(c.step) != ""; rolls != c.rolls {
			t.Errorf("%s: it can be in a block: %v, want %v", name, rolls, c.rolls)
		}
		none := &liveness{map[*Var]bool{}, map[*Var]bool{}, map[*Var]bool{}, map[string]bool{}}
		if got := p.needed(c.step, none); got != c.unread {
			t.Errorf("%s: needed without a reader: %v, want %v", name, got, c.unread)
		}
		all := &liveness{map[*Var]bool{p.Vars[1]: true}, map[*Var]bool{}, map[*Var]bool{}, map[string]bool{"s": true}}
		if !p.needed(c.step, all) {
			t.Errorf("%s: it is dropped though what it writes is read", name)
		}
	}
}

// TestStepsOfEachType: the rewrites take a plan with any type of step.
func TestStepsOfEachType(t *testing.T) {
	_, all := stepCases()
	for i := range all {
		p, cases := stepCases()
		p.Steps = []Step{cases[i].step}
		p.findLives()
		p.share()
		if len(p.Steps) != 1 {
			t.Errorf("%T: %d steps are left, want 1", cases[i].step, len(p.Steps))
		}
	}
}

// TestStepCases: the table has each type with the methods of a step.
func TestStepCases(t *testing.T) {
	_, cases := stepCases()
	var have []string
	for _, c := range cases {
		have = append(have, reflect.TypeOf(c.step).Elem().Name())
	}
	slices.Sort(have)
	if want := stepTypes(t); !slices.Equal(have, want) {
		t.Errorf("the cases have the steps\n%s\nand the package has\n%s", have, want)
	}
}

// stepTypes returns the types of the package with a method order.
func stepTypes(t *testing.T) (out []string) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "order" {
				out = append(out, fn.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// strange is a step that no switch lists.
type strange struct{ Clear }

// TestUnknownStep: a switch over the types of steps stops at one that it does not list.
func TestUnknownStep(t *testing.T) {
	p, _ := stepCases()
	s := &strange{Clear{p.Vars[0]}}
	p.Steps = []Step{s}
	for name, f := range map[string]func(){"token": func() { p.token(s) }, "share": p.share} {
		func() {
			defer func() {
				if r := recover(); r != "BUG: steps of type *plan.strange are not known here" {
					t.Errorf("%s: it panics with %v", name, r)
				}
			}()
			f()
		}()
	}
}
