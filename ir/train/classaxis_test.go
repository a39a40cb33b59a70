package train_test

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
)

// TestClassAxis tests that outputs are reported whose classes are on another axis than the loss assumes.
func TestClassAxis(t *testing.T) {
	const want = `the loss cross_entropy takes axis 1 of output "y", float32[n,seq,3], for the classes: if they are the 3 on the last axis, give --class-axis -1`
	for _, c := range []struct {
		x, loss string
		axis    int
		want    []string
	}{
		{"n,seq,2", "cross_entropy", 0, []string{want}},
		{"n,seq,2", "cross_entropy", 1, []string{want}},
		{"n,seq,2", "cross_entropy", -1, nil},
		{"n,4,2", "cross_entropy", 1, nil},
		{"n,2", "cross_entropy", 1, nil},
		{"n,seq,2", "mse", 1, nil},
	} {
		m, err := ir.Parse("m", `module "m"
file "m.onnx"
opset 21
func @main(%x: float32[`+c.x+`]) -> (%y) {
  const %w: float32[2,3] = [1, 2, 3, 4, 5, 6]
  %y = MatMul(%x, %w)
}
`)
		if err != nil {
			t.Fatal(err)
		}
		o, err := train.NewOptimizer("sgd")
		if err != nil {
			t.Fatal(err)
		}
		p, err := train.Build(m, train.Options{Loss: train.Loss{Name: c.loss, Axis: c.axis}, Optimizer: o, Accumulate: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Warnings, c.want) {
			t.Errorf("%s of %s on axis %d: warnings %q, want %q", c.loss, c.x, c.axis, p.Warnings, c.want)
		}
	}
}
