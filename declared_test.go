package bbgen_test

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
)

// TestDeclared holds that a file which declares another output than its nodes compute is told so: other elements
// are an error, another shape a warning.
func TestDeclared(t *testing.T) {
	for _, c := range []struct{ declared, err, warning string }{
		{"float32[2,3]", "", ""},
		{"float32[n,3]", "", ""},
		{"?", "", ""},
		{"int64[2,3]", `m.onnx: output "y" is declared as int64[2,3], and its nodes compute float32[2,3]: correct the declaration, or add a Cast`, ""},
		{"float32[2,4]", "", `output "y" is declared as float32[2,4], and its nodes compute float32[2,3]`},
		{"float32[6]", "", `output "y" is declared as float32[6], and its nodes compute float32[2,3]`},
	} {
		m, err := ir.Parse("m", "module \"m\"\nfile \"m.onnx\"\nopset 21\nfunc @main(%x: float32[2,3]) -> (%y) {\n  %y = Relu(%x) : "+c.declared+"\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		r, err := bbgen.Compile(m, bbgen.Config{})
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: got  %v\nwant %s", c.declared, err, c.err)
			}
			continue
		case err != nil:
			t.Errorf("%s: %v", c.declared, err)
			continue
		}
		var want []string
		if c.warning != "" {
			want = append(want, c.warning)
		}
		if !slices.Equal(r.Warnings, want) {
			t.Errorf("%s: warnings %q, want %q", c.declared, r.Warnings, want)
		}
	}
}

// TestDeclaredTrained: the shape that a file declares wrongly is also told of a model that is trained, once.
func TestDeclaredTrained(t *testing.T) {
	for _, c := range []struct {
		declared string
		want     []string
	}{
		{"float32[n,2]", nil},
		{"float32[n,3]", []string{`output "y" is declared as float32[n,3], and its nodes compute float32[n,2]`}},
	} {
		m, err := ir.Parse("m", "module \"m\"\nfile \"m.onnx\"\nopset 21\nfunc @main(%x: float32[n,2]) -> (%y) {\n  const %w: float32[2,2] = [1, 2, 3, 4]\n  %y = MatMul(%x, %w) : "+c.declared+"\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		o, err := train.NewOptimizer("sgd")
		if err != nil {
			t.Fatal(err)
		}
		r, err := bbgen.Compile(m, bbgen.Config{Train: &train.Options{Loss: train.Loss{Name: "mse", Reduction: "mean"}, Optimizer: o, Accumulate: 1}, Until: "plan"})
		if err != nil {
			t.Errorf("%s: %v", c.declared, err)
			continue
		}
		if !slices.Equal(r.Warnings, c.want) {
			t.Errorf("%s: warnings %q, want %q", c.declared, r.Warnings, c.want)
		}
	}
}
