package runtime

import "github.com/bbgen/bbgen/runtime/wire"

// Install returns a Node that runs a partition as the peer of rank 0 of its
// class, for a host that wants to know no more than that. The host admits other
// peers with [Node.Allow].
func Install(self wire.PeerID, addr wire.Address, p *Partition) (*Node, error) {
	n, err := New(Config{Self: self, Incarnation: 1}, p)
	if err != nil {
		return nil, err
	}
	return n, n.Allow(PeerConfig{ID: self, Class: p.Class, Addresses: []wire.Address{addr}})
}
