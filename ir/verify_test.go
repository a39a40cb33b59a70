package ir_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestVerify damages a module in ways that the text form cannot express. The damaged module can still be
// printed.
func TestVerify(t *testing.T) {
	node := func(m *ir.Module, op string) (n *ir.Node) {
		m.Main.Body.Walk(func(x *ir.Node) {
			if x.Op == op {
				n = x
			}
		})
		return n
	}
	tests := []struct {
		name  string
		spoil func(m *ir.Module)
		want  string
	}{
		{"no main", func(m *ir.Module) { m.Main = nil }, "module has no main function"},
		{"nil function", func(m *ir.Module) { m.Funcs = []*ir.Func{nil} }, "module has a nil function"},
		{"no body", func(m *ir.Module) { m.Main.Body = nil }, "func @main: has no body"},
		{"Def missing", func(m *ir.Module) { value(m, "a").Def = nil },
			`func @main: node "a" (A): value %a is an output, but Def is nil`},
		{"Def of another", func(m *ir.Module) { value(m, "a").Def = node(m, "B") },
			`func @main: node "a" (A): value %a is an output, but Def is node "b" (B)`},
		{"Def of a parameter", func(m *ir.Module) { value(m, "x").Def = node(m, "B") },
			`func @main: value %x is a parameter, but Def is node "b" (B)`},
		{"two nodes define", func(m *ir.Module) { node(m, "B").Out[0] = value(m, "a") }, "value %a is defined twice"},
		{"one name", func(m *ir.Module) { value(m, "b").Name = "x" }, `func @main: node "b" (B): two values are called %x`},
		{"node twice", func(m *ir.Module) { m.Main.Body.Nodes = append(m.Main.Body.Nodes, node(m, "A")) },
			`func @main: node "a" (A): is in two places`},
		{"region twice", func(m *ir.Module) { n := node(m, "If"); n.Regions = append(n.Regions, n.Regions[0]) },
			`func @main: node "y" (If): region "then_branch" is in two places`},
		{"nil node", func(m *ir.Module) { m.Main.Body.Nodes[0] = nil }, `func @main: region "" has a nil node`},
		{"nil region", func(m *ir.Module) { node(m, "If").Regions[0] = nil }, `func @main: node "y" (If): region is nil`},
		{"nil parameter", func(m *ir.Module) { m.Main.Body.Params[0] = nil }, `func @main: region "" has a nil parameter`},
		{"nil state", func(m *ir.Module) { m.Main.State[0] = nil }, "func @main: state is nil"},
		{"nil next", func(m *ir.Module) { m.Main.State[0].Next = nil }, "func @main: state %s has no next value"},
		{"no operator", func(m *ir.Module) { node(m, "A").Op = "" }, `func @main: node "a" (): has no operator`},
		{"attributes in disorder", func(m *ir.Module) { node(m, "A").Attrs = ir.Attrs{{Name: "b", Value: "1"}, {Name: "a", Value: "2"}} },
			`func @main: node "a" (A): attribute "a" stands after "b"`},
		{"attribute of another type", func(m *ir.Module) { node(m, "A").Attrs.Set("n", 1) },
			`func @main: node "a" (A): attribute "n": has type int`},
		{"constant with Def", func(m *ir.Module) {
			c := ir.NewConst("c", tensor.New(tensor.Float32, 2))
			c.Def = node(m, "A")
			node(m, "B").In[0] = c
		}, `func @main: node "b" (B): constant %c has Def node "a" (A)`},
		{"constant of another length", func(m *ir.Module) {
			c := ir.NewConst("c", &tensor.Tensor{DType: tensor.Float32, Shape: []int{3}, Data: []float32{1}})
			node(m, "B").In[0] = c
		}, `func @main: node "b" (B): constant %c: tensor float32[3] has 1 elements`},
		{"constant of another slice", func(m *ir.Module) {
			c := ir.NewConst("c", &tensor.Tensor{DType: tensor.Float16, Shape: []int{1}, Data: []float32{1}})
			node(m, "B").In[0] = c
		}, `func @main: node "b" (B): constant %c: tensor of float16 holds []float32, want []tensor.F16`},
		{"an output is a constant", func(m *ir.Module) { value(m, "a").Const = tensor.New(tensor.Int64) },
			`func @main: node "a" (A): constant %a is defined by something else, too`},
		{"ElemSyms of another length", func(m *ir.Module) {
			v := value(m, "a")
			v.Elems, v.ElemSyms = ir.Cs(1, 2), []string{"n"}
		}, `func @main: node "a" (A): value %a has 2 Elems and 1 ElemSyms`},
		{"sequence of nothing", func(m *ir.Module) { value(m, "a").Type = ir.Type{Kind: ir.Sequence} },
			`func @main: node "a" (A): value %a: type seq(?) has no content`},
	}
	for _, tt := range tests {
		m := parse(t, nested)
		tt.spoil(m)
		err := ir.Verify(m)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
		ir.Print(m) // must not panic
	}
}
