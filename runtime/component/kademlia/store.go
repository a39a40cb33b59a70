package kademlia

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// record is a stored value.
type record struct {
	key   Key
	value []byte
	from  wire.PeerID // the peer that has stored it
	until int         // the last period in which it is there
}

// store has the values that other peers keep here.
type store struct {
	list  []record
	most  int // records
	each  int // records of one peer
	bytes int // of all values
}

// put stores a value. A later one of the same key and peer replaces it. It reports whether there was room: no peer may use
// more than it leaves for the others.
func (s *store) put(r record) bool {
	own, at := 0, -1
	has, used := 0, 0 // bytes: of the peer, and of all
	for i := range s.list {
		if l := &s.list[i]; l.from == r.from && l.key == r.key {
			at = i // it makes room
		} else if used += len(l.value); l.from == r.from {
			own++
			has += len(l.value)
		}
	}
	switch {
	case !limits.InFairShare(has, len(r.value), used, s.bytes):
		return false
	case at >= 0:
		s.list[at] = r
		return true
	case own >= s.each || !limits.InFairShare(own, 1, len(s.list), s.most):
		return false
	}
	s.list = append(s.list, r)
	return true
}

// get returns the value of a key that was stored last; nil if there is none.
func (s *store) get(key Key) (value []byte) {
	until := -1
	for _, r := range s.list {
		if r.key == key && r.until > until {
			value, until = r.value, r.until
		}
	}
	return value
}

// expire removes what has expired.
func (s *store) expire(now int) {
	s.list = slices.DeleteFunc(s.list, func(r record) bool { return r.until < now })
}
