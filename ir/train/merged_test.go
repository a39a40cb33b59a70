package train_test

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
)

// TestMerged tests that weights are reported that an exporter has probably made of several: their elements are
// equal, and several nodes read them. Other weights that several nodes read may be shared on purpose.
func TestMerged(t *testing.T) {
	m, err := ir.Parse("m", `module "m"
file "m.onnx"
opset 21
func @main(%x: float32[n,2]) -> (%y) {
  const %w: float32[2,2] = [1, 2, 3, 4]
  const %a.bias: float32[2] = [0, 0]
  const %b.bias: float32[2] = [0, 0]
  const %a.scale: float64[2] = [1, 1]
  %p = MatMul(%x, %w)
  %q = Add(%p, %a.bias)
  %r = MatMul(%q, %w)
  %s = Add(%r, %a.bias)
  %t = Add(%s, %b.bias)
  %u = Cast(%t) {to = 11}
  %v = Mul(%u, %a.scale)
  %z = Mul(%v, %a.scale)
  %y = Cast(%z) {to = 1}
}
`)
	if err != nil {
		t.Fatal(err)
	}
	o, err := train.NewOptimizer("sgd")
	if err != nil {
		t.Fatal(err)
	}
	p, err := train.Build(m, train.Options{Loss: train.Loss{Name: "mse", Reduction: "mean"}, Optimizer: o, Accumulate: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"several nodes read each of these weights, which are trained as one: a.bias (2 nodes), a.scale (2 nodes); " +
		"if the exporter has merged equal weights, export without that (PyTorch: optimize=False)"}
	if !slices.Equal(p.Warnings, want) {
		t.Errorf("warnings %q, want %q", p.Warnings, want)
	}
}
