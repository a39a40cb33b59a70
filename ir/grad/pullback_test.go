package grad_test

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/grad"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

const twoOutputs = `module "m"
opset 20
func @main(%a: float32[2], %b: float32[2], %c: float32[2]) -> (%p, %q) {
  %p = Mul(%a, %b)
  %q = Add(%a, %a)
}
`

// TestPullback differentiates two outputs with given gradients: da = dp·b + 2·dq, db = dp·a. No output depends on c.
func TestPullback(t *testing.T) {
	for _, each := range []bool{false, true} {
		m, err := ir.Parse("m.ir", twoOutputs)
		if err == nil {
			err = pass.Run(m, []*pass.Pass{pass.Infer}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		body := m.Main.Body
		dy := map[*ir.Value]*ir.Value{}
		for i, d := range []*tensor.Tensor{tensor.Of([]float32{1, 10}, 2), tensor.Of([]float32{100, 1000}, 2)} {
			dy[body.Results[i]] = ir.NewConst(m.FreshName("dy"), d)
		}
		pullback := grad.Pullback
		if each {
			pullback = grad.PullbackEach
		}
		dxs, err := pullback(m, body, dy, body.Params)
		if err != nil {
			t.Fatal(err)
		}
		want := [][]float32{{203, 2040}, {1, 20}, {0, 0}}
		if each {
			if dxs[2] != nil {
				t.Errorf("there is a gradient of c: %v", dxs[2])
			}
			dxs, want = dxs[:2], want[:2]
		}
		body.Results = dxs
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
		in := []tensor.Value{tensor.Of([]float32{1, 2}, 2), tensor.Of([]float32{3, 4}, 2), tensor.Of([]float32{5, 6}, 2)}
		got, err := eval.Run(m.Main, in)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if err := compare.Values(got[i], tensor.Of(want[i], 2), compare.Tolerance{}); err != nil {
				t.Errorf("input %d: %v", i, err)
			}
		}
	}
}
