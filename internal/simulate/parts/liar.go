package parts

import (
	"context"
	"slices"

	"github.com/bbgen/bbgen/runtime/component/secagg"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Liar is a server of masked sums that lies about which peers are in a sum. If it got away with it, peers would reveal
// what hides the vectors of the others.
type Liar struct {
	secagg.Server
	Stranger bool // it names one that was never there; otherwise it leaves one out
}

// Survivors returns another list than that of the peers in the sum.
func (l Liar) Survivors(ctx context.Context, sum tensor.Dense[int32]) (tensor.Dense[uint8], error) {
	const key = 8 // numbers of a peer's key, before the number of peers
	x := slices.Clone(sum.Data)
	peers := x[len(x)-1]
	x = x[:len(x)-1]
	if l.Stranger {
		x = append(x, slices.Repeat([]int32{-1}, key)...)
		peers++
	} else {
		x = x[:len(x)-key]
		peers--
	}
	x = append(x, peers)
	return l.Server.Survivors(ctx, tensor.DenseOf(x, len(x)))
}
