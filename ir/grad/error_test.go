package grad_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/grad"
	"github.com/bbgen/bbgen/ir/pass"
)

// TestNoGradient has an operator that cannot be differentiated between a
// parameter and the loss: an error that names it and the way, never zeros.
func TestNoGradient(t *testing.T) {
	for _, c := range []struct{ node, want string }{
		{`%y = MaxRoiPool(%w, %rois) {pooled_shape = [1, 1]} name "cut"`, `node "cut" (MaxRoiPool) has no gradient; it is on the way cut → sum`},
		{`%y = NegativeLogLikelihoodLoss(%logs, %target, %weight) name "nll"`, `node "nll" (NegativeLogLikelihoodLoss) has no gradient by "weight"; it is on the way nll → sum`},
	} {
		m, err := ir.Parse("m.ir", `module "m" opset 22
func @main(%w: float64[1,1,4,4], %weight: float64[2]) -> (%sum) {
  const %rois: float64[1,5] = [[0, 0, 0, 1, 1]]
  const %logs: float64[1,2] = [[-1, -2]]
  const %target: int64[1] = [1]
  `+c.node+`
  %sum = ReduceSum(%y, _) {keepdims = 0} name "sum"
}`)
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err != nil {
			t.Fatal(err)
		}
		body := m.Main.Body
		if _, err := grad.Gradients(m, body, body.Results[0], body.Params); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
