package geomedian_test

import (
	"context"
	"fmt"

	"github.com/bbgen/bbgen/runtime/component/robust/geomedian"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The point with the least sum of distances to four corners is where the diagonals meet, however far one corner is.
func ExampleAggregator() {
	a := geomedian.Aggregator{}
	for i, x := range [][]float32{{0, 0}, {4, 4}, {0, 4}, {40, -36}} {
		if err := a.Contribute(context.Background(), peer(i), values.LargeOf(tensor.DenseOf(x, len(x))), 1); err != nil {
			fmt.Println(err)
		}
	}
	result, err := a.Aggregate(context.Background())
	fmt.Println(result.Data, err)
	// Output: [2 2] <nil>
}

// peer returns the peer id of a number.
func peer(i int) (id wire.PeerID) {
	id, _ = wire.PeerIDOf(append(make([]byte, 31), byte(i)))
	return id
}
