package random_test

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/random"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestFamily checks the operators of the family: their cases, schemas, gradients and errors.
func TestFamily(t *testing.T) { optest.Family(t, random.Ops) }

// TestUniformOfHalves: numbers of float16 are drawn as float32, and those that would be rounded to the upper boundary are kept below
// it; where the boundaries are the wrong way round, above it.
func TestUniformOfHalves(t *testing.T) {
	for _, c := range []struct {
		low, high, bound string
		at               float32
	}{{"0.0", "1.0", "Min", 1 - 1.0/(1<<11)}, {"1.0", "0.0", "Max", 1.0 / (1 << 24)}, {"2.0", "2.0", "", 0}} {
		text := fmt.Sprintf("module \"m\"\nopset 25\nfunc @main() -> (%%y) {\n  %%y = RandomUniform() {dtype = %d, shape = [3], low = %s, high = %s}\n}\n", int(tensor.Float16), c.low, c.high)
		m, err := ir.Parse("m.ir", text)
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
		cast := m.Main.Body.Results[0].Def
		if cast.Op != "Cast" || cast.Out[0].Type.Elem != tensor.Float16 {
			t.Fatalf("the last node is %v of %s, want a Cast to float16", cast, cast.Out[0].Type)
		}
		drawn := cast.In[0].Def
		if c.bound != "" {
			if drawn.Op != c.bound || tensor.Data[float32](drawn.In[1].Const)[0] != c.at {
				t.Fatalf("from %s to %s: %v, want a %s with %v", c.low, c.high, drawn, c.bound, c.at)
			}
			drawn = drawn.In[0].Def
		}
		if drawn.Op != "RandomUniform" || drawn.Out[0].Type.Elem != tensor.Float32 {
			t.Errorf("from %s to %s: drawn by %v of %s, want a RandomUniform of float32", c.low, c.high, drawn, drawn.Out[0].Type)
		}
	}
}
