package wire

import "math"

// Introduction tells a peer, on the envelope stream between envelopes, about a member of the program: the
// sender itself, or another member that the sender has admitted.
type Introduction struct {
	Peer      PeerID    // zero: the sender itself
	Class     string    // of another one
	Rank      int       // likewise
	Addresses []Address // at which it can be dialed
	Receives  []string  // of the sender: the classes that send to it
}

// message Introduction, which has no field of an envelope
const (
	introductionPeer     = 22<<3 | bytesType
	introductionClass    = 23<<3 | bytesType
	introductionRank     = 24<<3 | varintType
	introductionAddress  = 25<<3 | bytesType
	introductionReceives = 26<<3 | bytesType
)

// introductionHead is the tag at the beginning of every Introduction, but of no envelope or Ping.
const introductionHead = "\xb2\x01"

// AppendIntroduction appends an Introduction.
func AppendIntroduction(b []byte, x *Introduction) []byte {
	if x.Peer.IsZero() {
		b = appendHead(b, introductionPeer, 0)
	} else {
		b = appendPeer(appendHead(b, introductionPeer, multihashSize), x.Peer)
	}
	b = appendBytes(b, introductionClass, x.Class)
	b = appendVarint(b, introductionRank, uint64(x.Rank))
	for _, a := range x.Addresses {
		b = append(appendHead(b, introductionAddress, len(a)), a...)
	}
	for _, c := range x.Receives {
		b = append(appendHead(b, introductionReceives, len(c)), c...)
	}
	return b
}

// IsIntroduction reports whether a message of the envelope stream is an Introduction.
func IsIntroduction(b []byte) bool {
	return len(b) > len(introductionHead) && string(b[:len(introductionHead)]) == introductionHead
}

// ConsumeIntroduction reads an Introduction, which is all of b.
func ConsumeIntroduction(b []byte, lim *Limits) (x Introduction, err error) {
	if err := within("introduction", len(b), lim.Hello); err != nil {
		return Introduction{}, err
	}
	for len(b) > 0 && err == nil {
		var t tag
		var v uint64
		var p []byte
		if t, v, p, b, err = next(b); err != nil {
			return Introduction{}, malformed("introduction", "%v", err)
		}
		switch t {
		case introductionPeer:
			if len(p) > 0 {
				x.Peer, err = consumePeer(p)
			}
		case introductionClass:
			x.Class, err = consumeName("class", p, lim)
		case introductionRank:
			if x.Rank = int(v); v > math.MaxInt32 {
				err = malformed("introduction", "rank %d", v)
			}
		case introductionAddress:
			if err = within("introduction: addresses", len(x.Addresses)+1, lim.Addresses); err == nil {
				var a Address
				a, err = ParseAddress(p, lim)
				x.Addresses = append(x.Addresses, a)
			}
		case introductionReceives:
			if err = within("introduction: classes", len(x.Receives)+1, lim.Classes); err == nil {
				var c string
				c, err = consumeName("class", p, lim)
				x.Receives = append(x.Receives, c)
			}
		}
	}
	if err != nil {
		return Introduction{}, err
	}
	return x, nil
}
