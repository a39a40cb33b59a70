package mem

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Random returns the source of peer i's secrets. They follow from the seed, so that runs can be replayed; they
// are not secret.
func Random(seed uint64, i int) io.Reader {
	key := sha256.Sum256(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, seed), uint64(i)))
	return rand.NewChaCha8(key)
}

// Identity returns the identity of peer i. Its key is known to all simulated peers: a signature only shows that
// no correct peer has forged it.
func Identity(i int) runtime.Identity { return identity{PeerID(i)} }

type identity struct{ self wire.PeerID }

func (i identity) Self() wire.PeerID { return i.self }

func (i identity) Sign(message []byte) []byte { return sign(i.self, message) }

func (i identity) Verify(from wire.PeerID, message, signature []byte) bool {
	return bytes.Equal(sign(from, message), signature)
}

// sign returns a signature as long as one of Ed25519.
func sign(by wire.PeerID, message []byte) []byte {
	key := by.Key()
	h := sha256.Sum256(append(key[:], message...))
	return append(h[:], h[:]...)
}
