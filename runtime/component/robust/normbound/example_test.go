package normbound_test

import (
	"context"
	"fmt"

	"github.com/bbgen/bbgen/runtime/component/robust/normbound"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Contributions that are longer than the bound are scaled down to it.
func ExampleAggregator() {
	a := normbound.Aggregator{Max: 5}
	for i, x := range [][]float32{{3, 4}, {30, 40}} {
		if err := a.Contribute(context.Background(), peer(i), values.LargeOf(tensor.DenseOf(x, len(x))), 1); err != nil {
			fmt.Println(err)
		}
	}
	result, err := a.Aggregate(context.Background())
	fmt.Println(result.Data, err)
	// Output: [3 4] <nil>
}

// peer returns the peer id of a number.
func peer(i int) (id wire.PeerID) {
	id, _ = wire.PeerIDOf(append(make([]byte, 31), byte(i)))
	return id
}
