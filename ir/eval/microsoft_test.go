package eval_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/conformance"
	"github.com/bbgen/bbgen/ir/op"
)

// TestMicrosoft compares the operators of com.microsoft with what ONNX Runtime
// gave for them; the archive says which release.
func TestMicrosoft(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range conformance.List(t, conformance.OpenFile(t, "testdata/microsoft.zip")) {
		seen[c.Op] = true
		t.Run(c.Name, func(t *testing.T) {
			for i, s := range c.Sets(t) {
				runSet(t, c, i, s)
			}
		})
	}
	for _, o := range op.All() {
		if o.Domain == op.Microsoft && !seen[o.Name] {
			t.Errorf("%s has no case", o.Name)
		}
	}
}
