package train

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// TestUnreadWeights: weights that no output depends on are no parameters, wherever they stand among the others, and the
// evaluation holds none of them as a state.
func TestUnreadWeights(t *testing.T) {
	for _, dead := range []string{"a", "b", "c"} {
		other := map[string]string{"a": "b", "b": "c", "c": "a"}
		second := other[dead]
		third := other[second]
		m, err := ir.Parse("m.ir", `module "m" opset 21
func @main(%x: float32[n,1]) -> (%y) {
  const %a: float32[1,1] = [1]
  const %b: float32[1,1] = [2]
  const %c: float32[1,1] = [3]
  %unread = Mul(%x, %`+dead+`)
  %h = MatMul(%x, %`+second+`)
  %y = MatMul(%h, %`+third+`)
}
`)
		if err != nil {
			t.Fatal(err)
		}
		o, err := NewOptimizer("sgd")
		if err != nil {
			t.Fatal(err)
		}
		p, err := Build(m, Options{Optimizer: o, Backward: true})
		if err != nil {
			t.Fatalf("without %s: %v", dead, err)
		}
		for name, m := range map[string]*ir.Module{"step": p.Step, "evaluation": p.Eval} {
			parameters := map[string]bool{}
			for _, st := range m.Main.State {
				if st.Kind == ir.Parameter {
					parameters[st.Param.Name] = true
				}
			}
			if len(parameters) != 2 || parameters[dead] {
				t.Errorf("without %s: the parameters of the %s are %v, want the other two", dead, name, parameters)
			}
		}
	}
}
