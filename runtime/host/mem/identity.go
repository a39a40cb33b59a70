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

// Random is what peer i draws secrets from. They follow from the seed: what is simulated
// can be played again, and hides nothing.
func Random(seed uint64, i int) io.Reader {
	key := sha256.Sum256(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, seed), uint64(i)))
	return rand.NewChaCha8(key)
}

// Identity is that of peer i. Its key is known to all who simulate: a signature says
// that nobody has made one who keeps to the rules.
func Identity(i int) runtime.Identity { return identity{PeerID(i)} }

type identity struct{ self wire.PeerID }

func (i identity) Self() wire.PeerID { return i.self }

func (i identity) Sign(message []byte) []byte { return sign(i.self, message) }

func (i identity) Verify(from wire.PeerID, message, signature []byte) bool {
	return bytes.Equal(sign(from, message), signature)
}

// sign is as long as a signature of Ed25519.
func sign(by wire.PeerID, message []byte) []byte {
	key := by.Key()
	h := sha256.Sum256(append(key[:], message...))
	return append(h[:], h[:]...)
}
