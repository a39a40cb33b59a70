// The server of fedavg on libp2p: the generated partition in a main of one's own.
package main

import (
	"github.com/bbgen/bbgen/examples/fedavg/peer/server/partition"
	"github.com/bbgen/bbgen/runtime/host/libp2p"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

func main() {
	peer.Main(peer.Program{
		Name:        "fedavg",
		Class:       "server",
		Fingerprint: []byte(partition.Fingerprint),
		Partition:   partition.Default,
		Transport:   libp2p.New,
	})
}
