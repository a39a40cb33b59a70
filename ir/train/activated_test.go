package train_test

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
)

// TestActivated tests that outputs are reported to which the loss applies an activation a second time.
func TestActivated(t *testing.T) {
	for _, c := range []struct{ op, loss, want string }{
		{"Softmax", "cross_entropy", `output "y" is the result of node "y" (Softmax), and the loss cross_entropy applies a softmax itself: train the model without that node`},
		{"Softmax", "nll", `output "y" is the result of node "y" (Softmax), and the loss nll takes log-probabilities: train a model that ends in LogSoftmax, or without that node with --loss cross_entropy`},
		{"Sigmoid", "bce_logits", `output "y" is the result of node "y" (Sigmoid), and the loss bce_logits applies a sigmoid itself: --loss bce takes probabilities`},
		{"LogSoftmax", "cross_entropy", ""}, // the same as its argument
		{"LogSoftmax", "nll", ""},
		{"Sigmoid", "bce", ""},
		{"Sigmoid", "mse", ""},
		{"Relu", "cross_entropy", ""},
	} {
		m, err := ir.Parse("m", `module "m"
file "m.onnx"
opset 21
func @main(%x: float32[n,2]) -> (%y) {
  const %w: float32[2,2] = [1, 2, 3, 4]
  %p = MatMul(%x, %w)
  %y = `+c.op+`(%p)
}
`)
		if err != nil {
			t.Fatal(err)
		}
		o, err := train.NewOptimizer("sgd")
		if err != nil {
			t.Fatal(err)
		}
		p, err := train.Build(m, train.Options{Loss: train.Loss{Name: c.loss}, Optimizer: o, Accumulate: 1})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if !slices.Equal(p.Warnings, want) {
			t.Errorf("%s, %s: warnings %q, want %q", c.op, c.loss, p.Warnings, want)
		}
	}
}
