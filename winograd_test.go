package bbgen_test

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The filters of a convolution are transformed when the program starts, unless an option prevents that.
func TestNoWinograd(t *testing.T) {
	const text = `module "m"
opset 20

func @main(%x: float32[1,64,28,28], %w: float32[64,64,3,3]) -> (%y) {
  %y = Conv(%x, %w) {pads = [1, 1, 1, 1]}
}
`
	for _, conv := range []string{"", pass.Direct} {
		m, err := ir.Parse("in.ir", text)
		if err != nil {
			t.Fatal(err)
		}
		m.Main.Body.Nodes[0].In[1] = ir.NewConst("w", tensor.New(tensor.Float32, 64, 64, 3, 3))
		m.Main.Body.Params = m.Main.Body.Params[:1]
		r, err := bbgen.Compile(m, bbgen.Config{Options: pass.Options{Conv: conv}, Until: "plan"})
		if err != nil {
			t.Fatal(err)
		}
		made := slices.ContainsFunc(r.Plan.Weights, func(w *plan.Weight) bool { return w.Maker == "WinogradFilters32" })
		if made != (conv == "") {
			t.Errorf("Conv is %q, and filters are transformed is %v", conv, made)
		}
	}
}
