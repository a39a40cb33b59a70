package libp2p

import (
	"fmt"

	libp2ppeer "github.com/libp2p/go-libp2p/core/peer"
	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"github.com/bbgen/bbgen/runtime/wire"
)

// listening is the addresses at which a peer listens.
type listening struct {
	own    []multiaddr.Multiaddr
	relays []libp2ppeer.AddrInfo
}

// places reads the addresses to listen at.
func places(list []wire.Address) (listening, error) {
	var l listening
	for _, a := range list {
		m, err := multiaddr.NewMultiaddr(string(a))
		if err != nil {
			return l, fmt.Errorf("address %s: %w", a, err)
		}
		rest, last := multiaddr.SplitLast(m)
		if last == nil || last.Protocol().Code != multiaddr.P_CIRCUIT {
			l.own = append(l.own, m)
			continue
		}
		relay, err := libp2ppeer.AddrInfoFromP2pAddr(rest)
		if err != nil {
			return l, fmt.Errorf("address %s: want a relay's address and peer id before /p2p-circuit: %w", a, err)
		}
		l.relays = append(l.relays, *relay)
	}
	return l, nil
}

// private reports whether the peer listens only on this machine.
func (l *listening) private() bool {
	for _, a := range l.own {
		if !manet.IsIPLoopback(a) {
			return false
		}
	}
	return true
}
