package wire

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	keySize       = 32 // of an Ed25519 public key
	multihashSize = len(multihashHead) + keySize

	// multihashHead precedes the key in a peer id: the identity hash of the 36 bytes of protobuf with the type
	// and length "Ed25519, 32 bytes".
	multihashHead = "\x00\x24\x08\x01\x12\x20"

	// maxPeerText is an upper bound of the length of a peer id's text.
	maxPeerText = 2 * multihashSize
)

// PeerID identifies a peer: it is its Ed25519 public key. Bytes and text are libp2p's: the identity multihash
// of the key in protobuf, and that in base58 (12D3KooW…). The zero PeerID is no peer.
//
// It is stored as four numbers, little endian, which are compared quickly; peers are compared several times for
// each message.
type PeerID struct{ words [keySize / 8]uint64 }

// peerOf returns the peer whose key is at the beginning of a slice.
func peerOf(b []byte) PeerID {
	b = b[:keySize]
	return PeerID{[...]uint64{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])}}
}

// PeerIDOf returns the id of the peer with this Ed25519 public key.
func PeerIDOf(key []byte) (PeerID, error) {
	if len(key) != keySize {
		return PeerID{}, fmt.Errorf("wire: peer id: got a key of %d bytes, want %d", len(key), keySize)
	}
	return peerOf(key), nil
}

// Key returns the peer's Ed25519 public key.
func (p PeerID) Key() (key [32]byte) {
	p.appendKey(key[:0])
	return key
}

func (p *PeerID) appendKey(b []byte) []byte {
	for _, w := range p.words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// Words returns the key as numbers, for hashing.
func (p *PeerID) Words() (a, b, c, d uint64) {
	return p.words[0], p.words[1], p.words[2], p.words[3]
}

// IsZero reports whether p is no peer.
func (p PeerID) IsZero() bool { return p == PeerID{} }

// Compare compares peers in the order of their bytes.
func (p PeerID) Compare(q PeerID) int {
	for i, w := range p.words {
		if w != q.words[i] {
			return cmp.Compare(bits.ReverseBytes64(w), bits.ReverseBytes64(q.words[i]))
		}
	}
	return 0
}

// AppendBinary appends the multihash.
func (p PeerID) AppendBinary(b []byte) ([]byte, error) { return appendPeer(b, p), nil }

func appendPeer(b []byte, p PeerID) []byte { return p.appendKey(append(b, multihashHead...)) }

// UnmarshalBinary reads a multihash.
func (p *PeerID) UnmarshalBinary(b []byte) error {
	id, err := consumePeer(b)
	if err == nil {
		*p = id
	}
	return err
}

// A multihash that is a SHA-256 has this head and this many bytes behind it.
const (
	shaHead = "\x12\x20"
	shaSize = 32
)

// consumeSource reads a multihash that names the sender of an envelope: a key, or its SHA-256. Other multihashes name
// peers in ways that a key does not prove, and both results are zero.
func consumeSource(b []byte) (p PeerID, hash []byte, err error) {
	if len(b) == len(shaHead)+shaSize && string(b[:len(shaHead)]) == shaHead {
		return p, b[len(shaHead):], nil
	}
	if len(b) == multihashSize && string(b[:len(multihashHead)]) == multihashHead {
		return peerOf(b[len(multihashHead):]), nil, nil
	}
	return p, nil, checkMultihash(b)
}

// The sizes of multihashes.
const (
	maxDigest    = 64
	maxMultihash = maxDigest + 10 // with the numbers before the digest
)

// checkMultihash checks that b is a multihash: the number of a function, the size of the digest, and the digest.
func checkMultihash(b []byte) error {
	_, n := protowire.ConsumeVarint(b)
	if n < 0 {
		return malformed("multihash", "%v", parseError(n))
	}
	digest, m := protowire.ConsumeBytes(b[n:])
	switch {
	case m < 0:
		return malformed("multihash", "%v", parseError(m))
	case n+m < len(b):
		return malformed("multihash", "%d bytes, and %d too many", len(b), len(b)-n-m)
	case len(digest) == 0 || len(digest) > maxDigest:
		return malformed("multihash", "a digest of %d bytes, want 1 to %d", len(digest), maxDigest)
	case len(b) > maxMultihash:
		return malformed("multihash", "%d bytes, want at most %d", len(b), maxMultihash)
	}
	return nil
}

// HasHash reports whether a SHA-256 is that of the peer's key, in protobuf. The caller gives the function that
// computes it, [sha256.Sum256]: binaries that link this package and talk to nobody need none.
func (p PeerID) HasHash(hash []byte, sum256 func([]byte) [shaSize]byte) bool {
	const identity = 2 // the head of the identity multihash
	var b [multihashSize]byte
	sum := sum256(appendPeer(b[:0], p)[identity:])
	return string(hash) == string(sum[:])
}

func consumePeer(b []byte) (PeerID, error) {
	if len(b) != multihashSize || string(b[:len(multihashHead)]) != multihashHead {
		return PeerID{}, malformed("peer id", "got %d bytes, want the identity multihash of an Ed25519 key", len(b))
	}
	return peerOf(b[len(multihashHead):]), nil
}

// ParsePeerID reads the text form.
func ParsePeerID(text string) (PeerID, error) {
	if len(text) > maxPeerText {
		return PeerID{}, malformed("peer id", "got %d characters", len(text))
	}
	var b [multihashSize]byte
	if err := decodeBase58(b[:], text); err != nil {
		return PeerID{}, malformed("peer id", "%q: %v", text, err)
	}
	return consumePeer(b[:])
}

// String returns the text form, "-" for no peer.
func (p PeerID) String() string {
	if p.IsZero() {
		return "-"
	}
	b, _ := p.AppendText(nil)
	return string(b)
}

// AppendText appends the text form.
func (p PeerID) AppendText(b []byte) ([]byte, error) {
	var hash [multihashSize]byte
	return appendBase58(b, appendPeer(hash[:0], p)), nil
}

// MarshalText returns the text form, for JSON.
func (p PeerID) MarshalText() ([]byte, error) { return p.AppendText(nil) }

// UnmarshalText reads the text form.
func (p *PeerID) UnmarshalText(text []byte) error {
	id, err := ParsePeerID(string(text))
	if err == nil {
		*p = id
	}
	return err
}
