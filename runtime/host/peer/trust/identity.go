package trust

import (
	"crypto/ed25519"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// signed is the prefix of all messages that are signed for components, so that a signature cannot be used in
// another protocol with the same key.
const signed = "bbgen component\n"

// identity is a [runtime.Identity] with the key that belongs to the peer id.
type identity struct {
	key  ed25519.PrivateKey
	self wire.PeerID
}

// NewIdentity returns the identity of a key.
func NewIdentity(key ed25519.PrivateKey) runtime.Identity { return identity{key, IDOf(key)} }

func (i identity) Self() wire.PeerID { return i.self }

func (i identity) Sign(message []byte) []byte {
	return ed25519.Sign(i.key, append([]byte(signed), message...))
}

func (i identity) Verify(from wire.PeerID, message, signature []byte) bool {
	key := from.Key()
	return ed25519.Verify(key[:], append([]byte(signed), message...), signature)
}
