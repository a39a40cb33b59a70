package grad_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/grad"
	"github.com/bbgen/bbgen/ir/pass"
)

// TestNoGradient has a non-differentiable operator between a parameter and the loss. The error must name the
// operator and the path; zeros would be wrong.
func TestNoGradient(t *testing.T) {
	for _, c := range []struct{ node, want string }{
		{`%y = QuantizeLinear(%w, %scale, %zero) name "cut"`, `node "cut" (QuantizeLinear) has no gradient: it is constant between jumps; it is on the way cut → float → sum`},
		{`%list = SplitToSequence(%w)
  %y = SequenceAt(%list, %at) name "take"`, `node "take" (SequenceAt) has no gradient: gradients pass through tensors, not through lists`},
		{`%list = SequenceConstruct(%w, %w)
  %trips = Add(%at, %at)
  %y = Loop(%trips, _, %w)
    body(%i, %go, %c) -> (%on, %next) {
      %each = SequenceAt(%list, %i) name "take"
      %next = Mul(%each, %c)
      %on = Identity(%go)
    }`, `gradient of node "y" (Loop): node "grad/y/take" (SequenceAt) has no gradient: gradients pass through tensors, not through lists`},
	} {
		m, err := ir.Parse("m.ir", `module "m" opset 22
func @main(%w: float32[2,3], %at: int64[]) -> (%sum) {
  const %scale: float32[] = 0.1
  const %zero: float8e4m3fn[] = 0
  `+c.node+`
  %z = Cast(%y) {to = 1} name "float"
  %sum = ReduceSum(%z, _) {keepdims = 0} name "sum"
}`)
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err != nil {
			t.Fatal(err)
		}
		body := m.Main.Body
		if _, err := grad.Gradients(m, body, body.Results[0], body.Params[:1]); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
