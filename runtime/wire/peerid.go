package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

const (
	keySize       = 32 // of an Ed25519 public key
	multihashSize = len(multihashHead) + keySize

	// multihashHead stands before the key in a peer id: the identity hash of
	// the 36 bytes of protobuf that say "Ed25519, 32 bytes".
	multihashHead = "\x00\x24\x08\x01\x12\x20"

	// maxPeerText is more than any text of a peer id has.
	maxPeerText = 2 * multihashSize
)

// PeerID names a peer: it is its Ed25519 public key. Bytes and text are
// libp2p's: the identity multihash of the key in protobuf, and that in base58
// (12D3KooW…). The zero PeerID is no peer.
type PeerID struct{ key [keySize]byte }

// PeerIDOf returns the name of the peer with this Ed25519 public key.
func PeerIDOf(key []byte) (PeerID, error) {
	if len(key) != keySize {
		return PeerID{}, fmt.Errorf("wire: peer id: got a key of %d bytes, want %d", len(key), keySize)
	}
	return PeerID{[keySize]byte(key)}, nil
}

// Key returns the peer's Ed25519 public key.
func (p PeerID) Key() [32]byte { return p.key }

// Words returns the key as numbers, for hashes of it.
func (p *PeerID) Words() (a, b, c, d uint64) {
	k := p.key[:]
	return binary.LittleEndian.Uint64(k), binary.LittleEndian.Uint64(k[8:]), binary.LittleEndian.Uint64(k[16:]), binary.LittleEndian.Uint64(k[24:])
}

// IsZero reports whether p is no peer.
func (p PeerID) IsZero() bool {
	a, b, c, d := p.Words()
	return a|b|c|d == 0
}

// Compare orders peers as their bytes.
func (p PeerID) Compare(q PeerID) int { return bytes.Compare(p.key[:], q.key[:]) }

// AppendBinary appends the multihash.
func (p PeerID) AppendBinary(b []byte) ([]byte, error) { return appendPeer(b, p), nil }

func appendPeer(b []byte, p PeerID) []byte { return append(append(b, multihashHead...), p.key[:]...) }

// UnmarshalBinary reads a multihash.
func (p *PeerID) UnmarshalBinary(b []byte) error {
	id, err := consumePeer(b)
	if err == nil {
		*p = id
	}
	return err
}

func consumePeer(b []byte) (PeerID, error) {
	if len(b) != multihashSize || string(b[:len(multihashHead)]) != multihashHead {
		return PeerID{}, malformed("peer id", "got %d bytes, want the identity multihash of an Ed25519 key", len(b))
	}
	return PeerID{[keySize]byte(b[len(multihashHead):])}, nil
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
