package secagg

import (
	"crypto/ecdh"
	"crypto/sha256"

	"github.com/bbgen/bbgen/runtime/wire"
)

// lastingBit is set in a public key for messages that its peer has in all rounds. X25519 ignores that bit, so that peers of
// versions that have other keys in each round understand such a key, too.
const lastingBit = 0x80

// pairs is the key of a peer for messages, which lasts as long as its secret, and what it has in common with each other peer.
// So secrets are agreed on once, and not in each round. What is encrypted or authenticated by them is bound to its round.
type pairs struct {
	private *ecdh.PrivateKey
	public  [32]byte
	others  map[wire.PeerID]*pair
	own     named // this peer
}

// named is a peer and its text, which takes longer to make than a key.
type named struct {
	peer wire.PeerID
	text string
}

// pair is what a peer knows of another one. It is not part of the state: after a restart it is found out again.
type pair struct {
	named
	public [32]byte // the key of the other peer
	signed bool     // the other peer has signed it
	secret []byte   // of both, from which keys are expanded; nil until it is needed
}

// maxPairs limits the peers that a peer remembers.
const maxPairs = 1 << 12

func pairsOf(key [sha256.Size]byte) (*pairs, error) {
	seed := derived(key[:], "lasting letters")
	private, err := ecdh.X25519().NewPrivateKey(seed[:])
	if err != nil {
		return nil, err
	}
	p := &pairs{private: private, public: [32]byte(private.PublicKey().Bytes()), others: map[wire.PeerID]*pair{}}
	p.public[31] |= lastingBit
	return p, nil
}

// lasting reports whether the key lasts: it does, but for tests with peers of older versions.
func (p *pairs) lasting() bool { return isLasting(p.public[:]) }

// isLasting reports whether an encoded key, or keys that begin with it, last.
func isLasting(public []byte) bool { return public[31]&lastingBit != 0 }

// with returns what is known of a peer with a public key; what was known of it with another key is forgotten.
func (p *pairs) with(other wire.PeerID, o *publicKeys) *pair {
	public := [32]byte(o.messages.Bytes())
	x := p.others[other]
	if x == nil || x.public != public {
		if len(p.others) >= maxPairs {
			clear(p.others)
		}
		x = &pair{named: named{other, other.String()}, public: public}
		p.others[other] = x
	}
	return x
}

// key returns a key of the peer and another one for a purpose and a direction, which is one of the two to the other.
func (p *pairs) key(other wire.PeerID, o *publicKeys, purpose string, from, to wire.PeerID, text []byte) (key [sha256.Size]byte, err error) {
	x := p.with(other, o)
	if x.secret == nil {
		secret, err := p.private.ECDH(o.messages)
		if err != nil {
			return key, err
		}
		x.secret = extracted(secret)
	}
	return expanded(x.secret, purpose+" from "+p.text(x, from)+" to "+p.text(x, to)+string(text)), nil
}

// text returns the text of a peer, which is the other one or this one.
func (p *pairs) text(x *pair, of wire.PeerID) string {
	switch {
	case of == x.peer:
		return x.text
	case of != p.own.peer:
		p.own = named{of, of.String()}
	}
	return p.own.text
}

// paired reports whether secrets of pairs can take the place of signatures: all peers that have given shares have lasting keys,
// and share a secret with all others.
func paired(roster, there []message) bool {
	if !allNeighbors(len(roster)) {
		return false
	}
	for _, l := range there {
		at := find(roster, l.peer)
		if at < 0 || len(roster[at].body) < publicKeysSize || !isLasting(roster[at].body) {
			return false
		}
	}
	return true
}

// tagSize is the size of a tag in bytes.
const tagSize = 16

// tag authenticates a text of one peer for another one: one of them is this peer, and the keys are those of the other.
func (p *pairs) tag(other wire.PeerID, o *publicKeys, from, to wire.PeerID, text []byte) ([]byte, error) {
	all, err := p.key(other, o, "tag", from, to, text)
	return all[:tagSize], err
}
