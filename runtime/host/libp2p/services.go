package libp2p

import (
	libp2ppeer "github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/libp2p/go-libp2p/p2p/discovery/mdns"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/relay"
)

// serve starts the services that help peers to find and reach each other. A peer that listens only on its own
// machine needs none.
func (t *transport) serve(at listening) error {
	for _, r := range at.relays {
		p := t.reserve(r)
		t.places = append(t.places, p)
		t.keep(p)
	}
	if at.private() {
		return nil
	}
	r, err := relay.New(t.host, relay.WithACL(guests{t.config.Admitted}))
	if err != nil {
		return err
	}
	t.keep(r)
	return t.findNeighbours()
}

// mdnsName is the service name of peers on the local network.
const mdnsName = "_bbgen._udp"

// findNeighbours discovers peers on the local network, and announces this one. Without permission for that the
// peer continues without it.
func (t *transport) findNeighbours() error {
	s := mdns.NewMdnsService(t.host, mdnsName, neighbours{t})
	if err := s.Start(); err != nil {
		t.config.Log.Info("no discovery on the local network", "err", err)
		return nil
	}
	t.keep(s)
	return nil
}

type neighbours struct{ t *transport }

// HandlePeerFound records a possible address of a peer. It is only a hint: the peer at that address has to
// prove its key, and no peer is dialed because of it.
func (n neighbours) HandlePeerFound(p libp2ppeer.AddrInfo) {
	n.t.host.Peerstore().AddAddrs(p.ID, p.Addrs, peerstore.TempAddrTTL)
}
