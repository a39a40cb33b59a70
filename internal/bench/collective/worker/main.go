// Command worker is a worker that sums values with others. It uses encrypted connections, or with -host plain
// connections without encryption.
package main

import (
	"github.com/bbgen/bbgen/internal/bench/collective/plain"
	"github.com/bbgen/bbgen/internal/bench/collective/worker/partition"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
)

func main() {
	peer.Main(peer.Program{
		Name:        "collective",
		Class:       "worker",
		Classes:     []string{"worker"},
		Fingerprint: []byte(partition.Fingerprint),
		Partition:   partition.Default,
		Transport:   tcp.New,
		Hosts:       peer.Hosts{"tcp": tcp.New, "plain": plain.New},
	})
}
