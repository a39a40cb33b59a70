package pass_test

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// TestInferSchema: what is wrong with a node is said with its name, before inference.
func TestInferSchema(t *testing.T) {
	for attrs, want := range map[string]string{
		`{axis = "0"}`: `: node "y" (Softmax): attribute "axis" is the string "0", want an integer`,
		`{axis = [0]}`: `: node "y" (Softmax): attribute "axis" is a list of integers, want an integer`,
		`{axes = 0}`:   `: node "y" (Softmax): has no attribute "axes", want "axis", an integer`,
	} {
		m, err := ir.Parse("m", "module \"m\"\nopset 13\nfunc @main(%x: float32[2,3]) -> (%y) {\n  %y = Softmax(%x) "+attrs+" : ?\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", attrs, err, want)
		}
	}
}
