package fedavg_test

import (
	"context"
	"fmt"

	"github.com/bbgen/bbgen/runtime/component/fedavg"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A client with three times as many examples has three times the weight.
func ExampleAverage() {
	a := fedavg.Average{}
	examples := []float32{100, 300}
	for i, x := range [][]float32{{1, 10}, {5, 50}} {
		if err := a.Contribute(context.Background(), peer(i), values.LargeOf(tensor.DenseOf(x, len(x))), examples[i]); err != nil {
			fmt.Println(err)
		}
	}
	mean, err := a.Aggregate(context.Background())
	fmt.Println(mean.Data, err)
	// Output: [4 40] <nil>
}

// peer returns the peer id of a number.
func peer(i int) (id wire.PeerID) {
	id, _ = wire.PeerIDOf(append(make([]byte, 31), byte(i)))
	return id
}
