package secagg

import (
	"crypto/subtle"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// agreement returns what tells the others on which list a peer agrees: a signature or, if all have lasting keys and are
// neighbors, a tag for each other peer that has given shares, in their order. Tags are made and checked twenty times as fast.
func (c *Client) agreement(s *session, there []message) (tensor.Dense[uint8], error) {
	roster, err := readMessages(s.roster)
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	text := s.agreement()
	if !paired(roster, there) {
		return vector(c.identity.Sign(text)), nil
	}
	self := c.identity.Self()
	var tags []byte
	for _, l := range there {
		if l.peer == self {
			continue
		}
		tag, err := s.tag(roster, l.peer, self, l.peer, text)
		if err != nil {
			return tensor.Dense[uint8]{}, err
		}
		tags = append(tags, tag...)
	}
	return vector(tags), nil
}

// checkAgreement returns an error if a peer agrees on another list than this one, or too few agree.
func (c *Client) checkAgreement(s *session, roster, there, agreed []message) error {
	text, agree := s.agreement(), 0
	self, tags := c.identity.Self(), paired(roster, there)
	for _, l := range agreed {
		if find(there, l.peer) < 0 {
			continue
		}
		same := l.peer == self
		switch {
		case same:
		case tags:
			want, err := s.tag(roster, l.peer, l.peer, self, text)
			if err != nil {
				return err
			}
			same = subtle.ConstantTimeCompare(tagFor(self, l, there), want) == 1
		default:
			same = c.identity.Verify(l.peer, text, l.body)
		}
		if !same {
			return fmt.Errorf("%v agrees on another list than this peer: the server has sent different ones", l.peer)
		}
		agree++
	}
	if want := threshold(len(there)); agree < want {
		return fmt.Errorf("%d of %d peers agree on the peers in the sum, want at least %d", agree, len(there), want)
	}
	return nil
}

// tagFor returns the tag for a peer among the tags of another one; nil if there are too few or too many.
func tagFor(self wire.PeerID, tags message, there []message) []byte {
	at := find(there, self)
	if at < 0 || len(tags.body) != tagSize*(len(there)-1) {
		return nil
	}
	if at > find(there, tags.peer) {
		at--
	}
	return tags.body[tagSize*at:][:tagSize]
}

// tag returns the tag of a text from one peer to another; one of them is this peer, and the other one is in the roster.
func (s *session) tag(roster []message, other, from, to wire.PeerID, text []byte) ([]byte, error) {
	o, err := readPublicKeys(roster[find(roster, other)].body)
	if err != nil {
		return nil, err
	}
	return s.pairs.tag(other, &o, from, to, text)
}
