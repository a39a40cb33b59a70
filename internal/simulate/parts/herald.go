package parts

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Herald tells the peer's host of each value, with the number of the call.
type Herald struct{ counter }

// Say notifies the host of x, and returns it.
func (h *Herald) Say(n *runtime.Node, x Vec) (Vec, error) {
	h.calls++
	return x, n.Notify("said", tensor.Of([]float64{float64(h.calls), x.Data[0], x.Data[1]}, 3))
}
