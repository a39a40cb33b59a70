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

// unread is a loop of a size that is known at run time only. Its body does not read a carried value, whose gradient is 0, and
// so is that of a value from outside.
const unread = `module "m"
opset 20
func @main(%x: float32[n], %a: float32[n], %trips: int64[]) -> (%sum) {
  %y, %z = Loop(%trips, _, %x, %a)
    body(%i, %go, %c, %d) -> (%on, %next, %e) {
      %next = Mul(%c, %c)
      %e = Ceil(%a)
      %on = Identity(%go)
    }
  %both = Add(%y, %z)
  %sum = ReduceSum(%both, _) {keepdims = 0}
}
`

func TestUnread(t *testing.T) {
	m, err := ir.Parse("m.ir", unread)
	if err == nil {
		err = pass.Run(m, []*pass.Pass{pass.Infer}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	body := m.Main.Body
	if body.Results, err = grad.Gradients(m, body, body.Results[0], body.Params[:2]); err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	for trips, want := range [][2][]float32{{{1, 1}, {1, 1}}, {{4, 6}, {0, 0}}, {{4 * 8, 4 * 27}, {0, 0}}} {
		got, err := eval.Run(m.Main, []tensor.Value{tensor.Of([]float32{2, 3}, 2), tensor.Of([]float32{1, 5}, 2), tensor.Of([]int64{int64(trips)})})
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if err := compare.Values(got[i], tensor.Of(w, 2), compare.Tolerance{}); err != nil {
				t.Errorf("%d iterations, input %d: %v", trips, i, err)
			}
		}
	}
}

// TestUninvolved reads a value in a branch and in a loop that the result does not depend on there. At 0, its derivative is
// infinite, and must not be multiplied by 0.
func TestUninvolved(t *testing.T) {
	m, err := ir.Parse("m.ir", `module "m"
opset 20
func @main(%x: float32[2], %trips: int64[]) -> (%sum) {
  %root = Sqrt(%x)
  const %one: int64[] = 1
  %c = Equal(%trips, %one)
  %y = If(%c)
    then_branch() -> (%a) {
      %a0 = Ceil(%root)
      %a = Add(%a0, %x)
    }
    else_branch() -> (%b) {
      %b = Add(%x, %x)
    }
  %z = Loop(%trips, _, %y)
    body(%i, %go, %s) -> (%on, %next) {
      %n0 = Ceil(%root)
      %next = Add(%n0, %s)
      %on = Identity(%go)
    }
  %sum = ReduceSum(%z, _) {keepdims = 0}
}
`)
	if err == nil {
		err = pass.Run(m, []*pass.Pass{pass.Infer}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	body := m.Main.Body
	if body.Results, err = grad.Gradients(m, body, body.Results[0], body.Params[:1]); err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	for trips, want := range []float32{2, 1, 2} {
		got, err := eval.Run(m.Main, []tensor.Value{tensor.Of([]float32{0, 4}, 2), tensor.Of([]int64{int64(trips)})})
		if err == nil {
			err = compare.Values(got[0], tensor.Of([]float32{want, want}, 2), compare.Tolerance{})
		}
		if err != nil {
			t.Errorf("%d iterations: %v", trips, err)
		}
	}
}
