// Command worker is one of those who sum. It talks over encrypted connections, or with
// -host plain over bare ones.
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
