package mem_test

import (
	"fmt"
	"log"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Two peers exchange numbers over a network that loses a third of the envelopes, and one of them crashes. Both
// continue, in virtual time. Package handmade is in place of the packages that bbgen generates.
func Example() {
	w := mem.New(mem.Config{
		Seed: 1, Delay: int64(10 * time.Millisecond), Loss: 1. / 3,
		Faults: []mem.Fault{{Kind: mem.Crash, Node: 1, At: int64(25 * time.Millisecond), For: int64(time.Second)}},
	})
	w.Add(runtime.Config{Durable: true}, func() *runtime.Partition { return handmade.Ping(3) })
	w.Add(runtime.Config{Durable: true}, handmade.Pong)
	w.Started = func(i int, n *runtime.Node) {
		if i != 0 {
			return
		}
		if _, err := n.Invoke(n.Now(), "ping", tensor.Of([]float64{1, 10}, 2)); err != nil {
			log.Fatal(err)
		}
	}
	answers := 0
	w.Told = func(i int, e runtime.Event) {
		if e.Kind == runtime.Emitted {
			answers++
			fmt.Println(e.Name, tensor.Data[float64](e.Value.(*tensor.Tensor)))
		}
	}
	fmt.Println(w.Run(int64(time.Hour), func() bool { return answers == 3 }))
	// Output:
	// y [2 11]
	// y [3 12]
	// y [4 13]
	// true <nil>
}
