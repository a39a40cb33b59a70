package parts

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Herald tells the peer's host of each value. Calls have no numbers: workers of which only the first is waited for may make
// those of two rounds in either order.
type Herald struct{}

// Say notifies the host of x, and returns it.
func (*Herald) Say(n runtime.Peer, x Vec) (Vec, error) {
	return x, n.Notify("said", tensor.Of([]float64{x.Data[0], x.Data[1]}, 2))
}
