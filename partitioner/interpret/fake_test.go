package interpret

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestTriggerHasNoValue checks that what a component returns does not depend on the value that a trigger follows: passes may
// replace the trigger by another one.
func TestTriggerHasNoValue(t *testing.T) {
	p := &Peer{Class: "a"}
	four := ir.TensorOf(tensor.Float32, ir.C(4))
	n := &ir.Node{Op: "Call", In: []*ir.Value{{Type: ir.Type{Kind: ir.Opaque, Name: "trigger"}}}, Out: []*ir.Value{{Type: four}}}
	results := func(in any) []float32 {
		out, err := NewFake(Peers{p}).Call(p, n, p, []any{in})
		if err != nil {
			t.Fatal(err)
		}
		return tensor.Data[float32](out[0].(*tensor.Tensor))
	}
	if with, without := results(tensor.Of([]float32{1}, 1)), results(nil); !slices.Equal(with, without) {
		t.Errorf("%v after a value, %v after nothing, want the same", with, without)
	}
}
