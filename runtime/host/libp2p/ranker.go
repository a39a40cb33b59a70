package libp2p

import (
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/multiformats/go-multiaddr"
)

// How long less preferred kinds of addresses wait for preferred ones.
const (
	quicDelay  = time.Second
	relayDelay = 2 * time.Second
)

// tcpFirst ranks TCP first, QUIC if that does not lead to a connection, and relays last.
func tcpFirst(addrs []multiaddr.Multiaddr) []network.AddrDelay {
	list := make([]network.AddrDelay, len(addrs))
	first := relayDelay
	for i, a := range addrs {
		list[i] = network.AddrDelay{Addr: a, Delay: delayOf(a)}
		first = min(first, list[i].Delay)
	}
	for i := range list { // the best kind among the addresses does not wait
		list[i].Delay -= first
	}
	return list
}

func delayOf(a multiaddr.Multiaddr) time.Duration {
	switch {
	case has(a, multiaddr.P_CIRCUIT):
		return relayDelay
	case has(a, multiaddr.P_TCP):
		return 0
	}
	return quicDelay
}

func has(a multiaddr.Multiaddr, code int) bool {
	_, err := a.ValueForProtocol(code)
	return err == nil
}
