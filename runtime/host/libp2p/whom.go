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

// whom returns the peer to dial: to, or if it is zero the peer that the addresses name, or else the peer that
// answers there.
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

// ask finds out which peer answers. libp2p dials a peer, not an address, so a peer id without a key is dialed:
// the peer that answers proves another key.
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
	return nobody, fmt.Errorf("no peer answers: %w", err)
}

// answered returns the peer that has proven another key than the wanted one, if the error says that.
func answered(err error) (wire.PeerID, bool) {
	var other sec.ErrPeerIDMismatch
	if !errors.As(err, &other) {
		return wire.PeerID{}, false
	}
	id, err := idFromLibp2p(other.Actual)
	return id, err == nil
}
