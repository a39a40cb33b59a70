package randomgraph

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestDraw tests that a seed always draws the same model, that models are valid, and that they differ:
// together they have most kinds of operators.
func TestDraw(t *testing.T) {
	operators := map[string]bool{}
	for seed := range uint64(300) {
		d := Draw(seed)
		if err := ir.Verify(d.Module); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		text := ir.Print(d.Module)
		if again := ir.Print(Draw(seed).Module); again != text {
			t.Fatalf("seed %d draws two models:\n%s\n%s", seed, text, again)
		}
		if back, err := ir.Parse("drawn", text); err != nil || ir.Print(back) != text {
			t.Fatalf("seed %d: what is printed is read as another model, or not at all: %v\n%s", seed, err, text)
		}
		d.Module.Main.Body.Walk(func(n *ir.Node) {
			operators[n.Op] = true
			if op.Lookup(n) == nil {
				t.Errorf("seed %d: there is no operator %v", seed, n)
			}
		})
	}
	if len(operators) < 100 {
		t.Errorf("300 models have %d operators, want 100 at least", len(operators))
	}
}

// TestInputs tests that inputs have the types of the model's, and are the same for the same seed.
func TestInputs(t *testing.T) {
	for seed := range uint64(100) {
		d := Draw(seed)
		for _, run := range d.Runs {
			a, b := Inputs(d.Module, run, d.Data, seed), Inputs(d.Module, run, d.Data, seed)
			if len(a) != len(d.Module.Main.Body.Params) {
				t.Fatalf("seed %d: %d inputs, want %d", seed, len(a), len(d.Module.Main.Body.Params))
			}
			for i := range a {
				x, ok := a[i].(*tensor.Tensor)
				if ok && x.DType != tensor.String && !slices.Equal(x.Bytes(), b[i].(*tensor.Tensor).Bytes()) {
					t.Errorf("seed %d: input %d differs from one draw to the next", seed, i)
				}
			}
		}
	}
}
