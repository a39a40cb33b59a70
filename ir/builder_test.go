package ir_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestBuilder builds nodes: their names are new, their outputs have types, and the first error stays.
func TestBuilder(t *testing.T) {
	m := &ir.Module{Main: &ir.Func{Body: &ir.Region{}}}
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: "new/", Class: "server", Pos: "a.go:3"}
	x := b.Const(tensor.Of([]float32{1, 2, 3, 4}, 2, 2))
	y := b.Op("Add", x, b.Scalar(tensor.Float32, 1))
	parts := b.OpN("Split", 2, ir.Attrs{{Name: "axis", Value: int64(1)}}, y, b.Ints(1, 1))
	z := b.OpA("Concat", ir.Attrs{{Name: "axis", Value: int64(0)}}, parts...)
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	if got := y.Type.String() + " " + parts[1].Type.String() + " " + z.Type.String(); got != "float32[2,2] float32[2,1] float32[4,1]" {
		t.Errorf("types are %s", got)
	}
	names := map[string]bool{}
	for _, n := range b.Nodes {
		for _, v := range n.Out {
			if names[v.Name] || !strings.HasPrefix(v.Name, "new/") {
				t.Errorf("a value is called %q", v.Name)
			}
			names[v.Name] = true
		}
		if n.Class != "server" || n.Pos != "a.go:3" {
			t.Errorf("%s is of class %q at %q", n, n.Class, n.Pos)
		}
	}
	b.Op("Add", x, b.Ints(1))
	first := b.Err()
	b.Op("MatMul", x)
	if first == nil || b.Err() != first || !strings.Contains(first.Error(), "(Add)") {
		t.Errorf("the error is %v, and was %v", b.Err(), first)
	}
}

// TestReplaceInRegions replaces a value in a body, in a branch of it, and among the results.
func TestReplaceInRegions(t *testing.T) {
	m, err := ir.Parse("a.ir", branch)
	if err != nil {
		t.Fatal(err)
	}
	body := m.Main.Body
	x, c := body.Params[0], ir.NewConst("one", tensor.Of([]float32{1}, 1))
	clone := ir.CloneRegion(m, body, "copy/")
	body.ReplaceAll(x, c)
	uses := func(r *ir.Region, of *ir.Value) (n int) {
		read := slices.Clone(r.Results)
		r.Walk(func(x *ir.Node) {
			read = append(read, x.In...)
			for _, in := range x.Regions {
				read = append(read, in.Results...)
			}
		})
		for _, v := range read {
			if v == of {
				n++
			}
		}
		return n
	}
	if uses(body, x) != 0 || uses(body, c) != 4 {
		t.Errorf("%d uses are left, and %d are replaced, want 0 and 4", uses(body, x), uses(body, c))
	}
	if uses(clone, x)+uses(clone, c) != 0 || uses(clone, clone.Params[0]) != 4 {
		t.Errorf("the copy of the body shares values with it")
	}
	var names []string
	clone.Values(func(v *ir.Value) { names = append(names, v.Name) })
	if i := slices.IndexFunc(names, func(s string) bool { return !strings.HasPrefix(s, "copy/") }); i >= 0 {
		t.Errorf("a value of the copy is called %s", names[i])
	}
}

// branch reads its input four times: in a body, in both regions of a branch, and as a result.
const branch = `module "m"

func @main(%x: float32[1], %c: bool[]) -> (%y, %x) {
  %a = Relu(%x) : float32[1]
  %y = If(%c) : float32[1]
    then_branch() -> (%t) {
      %t = Add(%a, %x) : float32[1]
    }
    else_branch() -> (%x) {
    }
}
`
