package median_test

import (
	"context"
	"fmt"

	"github.com/bbgen/bbgen/runtime/component/robust/median"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// One hostile peer of three cannot move the median beyond what the others have sent.
func ExampleAggregator() {
	a := median.Aggregator{}
	for i, x := range [][]float32{{1, 10}, {3, 12}, {1000, -1000}} {
		if err := a.Contribute(context.Background(), peer(i), values.LargeOf(tensor.DenseOf(x, len(x))), 1); err != nil {
			fmt.Println(err)
		}
	}
	result, err := a.Aggregate(context.Background())
	fmt.Println(result.Data, err)
	// Output: [3 10] <nil>
}

// peer returns the peer id of a number.
func peer(i int) (id wire.PeerID) {
	id, _ = wire.PeerIDOf(append(make([]byte, 31), byte(i)))
	return id
}
