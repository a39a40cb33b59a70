package wire_test

import (
	"fmt"
	"log"

	"github.com/bbgen/bbgen/runtime/wire"
)

// An envelope is appended to a buffer, and read in place: what it holds then aliases the buffer.
func Example() {
	const edge wire.EdgeID = 7
	var sent wire.Envelope
	sent.Seq = 1
	fill := sent.AddFill()
	fill.Suffix = wire.AppendSite(fill.Suffix, edge)
	fill.Payload = []byte{1, 2, 3}
	message := wire.AppendEnvelope(nil, &sent)

	var received wire.Envelope
	limits := wire.Default()
	if err := wire.ConsumeEnvelope(&received, message, &limits); err != nil {
		log.Fatal(err)
	}
	for _, f := range received.Fills {
		to, _ := wire.ConsumeSite(f.Suffix)
		fmt.Println("envelope", received.Seq, "brings", f.Payload, "along edge", to)
	}
	fmt.Println(wire.ConsumeEnvelope(&received, message[:len(message)-1], &limits))
	// Output:
	// envelope 1 brings [1 2 3] along edge 0000000000000007
	// wire: envelope: malformed message: it ends early
}
