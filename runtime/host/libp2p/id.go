package libp2p

import (
	"crypto/ed25519"

	"github.com/libp2p/go-libp2p/core/crypto"
	libp2ppeer "github.com/libp2p/go-libp2p/core/peer"

	"github.com/bbgen/bbgen/runtime/wire"
)

// A peer id has the same bytes in bbgen and libp2p.

func idToLibp2p(p wire.PeerID) (libp2ppeer.ID, error) {
	b, err := p.AppendBinary(nil)
	if err != nil {
		return "", err
	}
	return libp2ppeer.IDFromBytes(b)
}

func idFromLibp2p(p libp2ppeer.ID) (wire.PeerID, error) {
	var id wire.PeerID
	err := id.UnmarshalBinary([]byte(p))
	return id, err
}

func keyToLibp2p(k ed25519.PrivateKey) (crypto.PrivKey, error) {
	return crypto.UnmarshalEd25519PrivateKey(k)
}
