package krum_test

import (
	"context"
	"fmt"

	"github.com/bbgen/bbgen/runtime/component/robust/krum"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The contribution is chosen that is nearest to the others: none that lies apart.
func ExampleAggregator() {
	a := krum.Aggregator{Faulty: 1}
	for i, x := range [][]float32{{1, 1}, {1, 2}, {2, 1}, {1, 1.5}, {100, 100}} {
		if err := a.Contribute(context.Background(), peer(i), values.LargeOf(tensor.DenseOf(x, len(x))), 1); err != nil {
			fmt.Println(err)
		}
	}
	result, err := a.Aggregate(context.Background())
	fmt.Println(result.Data, err)
	// Output: [1 1.5] <nil>
}

// peer returns the peer id of a number.
func peer(i int) (id wire.PeerID) {
	id, _ = wire.PeerIDOf(append(make([]byte, 31), byte(i)))
	return id
}
