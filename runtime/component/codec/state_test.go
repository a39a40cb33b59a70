package codec

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// What codecs have left out is read by later versions, with the seed of those that draw.
func TestStates(t *testing.T) {
	x := tensor.DenseOf([]float32{4, 1, -2, 8}, 4)
	for name, create := range map[string]func() runtime.Component{
		"topk":    func() runtime.Component { return &TopK{Fraction: 0.5} },
		"randomk": func() runtime.Component { return &RandomK{Fraction: 0.5, seed: 7} },
	} {
		statetest.Check(t, name+".none", create(), create)
		c := create()
		if _, err := c.(sized).Encode(x); err != nil {
			t.Fatal(err)
		}
		statetest.Check(t, name, c, create)
	}
}
