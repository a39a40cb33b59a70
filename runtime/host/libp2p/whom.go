package libp2p

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	libp2ppeer "github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/sec"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// whom says who is to be dialled: if it is nobody in particular, the peer that
// the addresses name, or else whoever answers there.
func (t *transport) whom(ctx context.Context, to wire.PeerID, at []wire.Address) (wire.PeerID, error) {
	if !to.IsZero() {
		return to, nil
	}
	for _, a := range at {
		if id, ok := a.Peer(); ok {
			return id, nil
		}
	}
	return t.ask(ctx, at)
}

// ask finds out who answers. libp2p dials a peer, not an address, so a peer is
// dialled that nobody can be: whoever answers proves another key.
func (t *transport) ask(ctx context.Context, at []wire.Address) (wire.PeerID, error) {
	key := make([]byte, 32)
	rand.Read(key)
	nobody, err := wire.PeerIDOf(key)
	if err != nil {
		return nobody, err
	}
	id, err := idToLibp2p(nobody)
	if err != nil {
		return nobody, err
	}
	known, err := t.learn(id, at)
	if err != nil {
		return nobody, err
	}
	if !known {
		return nobody, peer.ErrNoAddress
	}
	defer t.host.Peerstore().ClearAddrs(id)
	err = t.host.Connect(ctx, libp2ppeer.AddrInfo{ID: id})
	if found, ok := answered(err); ok {
		return found, nil
	}
	return nobody, fmt.Errorf("nobody answers: %w", err)
}

// answered says who proved another key than was wanted, if that is what an error
// says.
func answered(err error) (wire.PeerID, bool) {
	var other sec.ErrPeerIDMismatch
	if !errors.As(err, &other) {
		return wire.PeerID{}, false
	}
	id, err := idFromLibp2p(other.Actual)
	return id, err == nil
}
