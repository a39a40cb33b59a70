// Program broker runs a broker on this machine's loopback, for "bbgen run --host nats". It prints its address,
// and ends when its standard input ends.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/bbgen/bbgen/runtime/host/nats/internal/hub"
)

func main() {
	h, err := hub.Start(0)
	if err != nil {
		fmt.Fprintln(os.Stderr, "broker:", err)
		os.Exit(1)
	}
	fmt.Println(h.Address())
	io.Copy(io.Discard, os.Stdin)
	h.Stop()
}
