package pass_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

const product = `module "m"
file "m.onnx"
opset 20
func @main(%x: float32[batch,3]) -> (%y) {
  const %w: float32[3,2] = [1, 2, 3, 4, 5, 6]

  %y = MatMul(%x, %w)
}
`

// TestBind fixes a size of an input, and FLOPs depends on it.
func TestBind(t *testing.T) {
	parse := func() *ir.Module {
		t.Helper()
		m, err := ir.Parse("m.onnx", product)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	open, bound := parse(), parse()
	if err := pass.Bind(bound, map[string]int{"batch": 5}); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*ir.Module{open, bound} {
		if err := pass.Infer.Apply(m); err != nil {
			t.Fatal(err)
		}
	}
	if got := open.Main.Body.Results[0].Type.String() + " " + bound.Main.Body.Results[0].Type.String(); got != "float32[batch,2] float32[5,2]" {
		t.Errorf("the results are %s", got)
	}
	if a, b := pass.FLOPs(open).String(), pass.FLOPs(bound).String(); a != "12*batch" || b != "60" {
		t.Errorf("%s and %s operations, want 12*batch and 60: 2·3·2 for each row", a, b)
	}
	for want, sizes := range map[string]map[string]int{
		`no input has a dimension "rows"; there are: batch`: {"rows": 5},
		`dimension "batch" cannot be -1, want 0 or more`:    {"batch": -1},
	} {
		if err := pass.Bind(parse(), sizes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
