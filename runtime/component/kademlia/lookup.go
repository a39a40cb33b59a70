package kademlia

import (
	"crypto/sha256"
	"slices"

	"github.com/bbgen/bbgen/runtime/wire"
)

// kind is what a lookup is for.
type kind uint8

const (
	findPeers kind = iota
	getValue
	putValue
	kinds
)

// status is how far a lookup is with a peer.
type status uint8

const (
	heardOf status = iota
	asked
	answered
	failed
)

// candidate is a peer that may be among the nearest.
type candidate struct {
	id     wire.PeerID
	status status
	at     int // the period in which it was asked
}

// lookup finds the peers that are nearest to a key.
type lookup struct {
	number uint64
	kind   kind
	key    Key
	value  []byte      // to be stored
	list   []candidate // by distance
	seen   []sum       // of the values that were returned: peers may return a different large one each
	found  []byte      // the value that enough peers have returned
	asks   int         // peers asked so far
}

// sum is a hash of a value.
type sum = [sha256.Size]byte

// Limits of a lookup.
const (
	maxAsks   = 256 // peers that it asks
	maxSpread = 4   // candidates, in multiples of K
)

// add adds a peer, unless it is known. A list that is full loses the farthest that was not asked.
func (l *lookup) add(id wire.PeerID, k int) {
	i, found := slices.BinarySearchFunc(l.list, id, func(c candidate, id wire.PeerID) int { return compare(c.id, id, l.key) })
	if found {
		return
	}
	l.list = slices.Insert(l.list, i, candidate{id: id})
	if len(l.list) <= maxSpread*k {
		return
	}
	for i := len(l.list) - 1; i >= 0; i-- {
		if l.list[i].status == heardOf || l.list[i].status == failed {
			l.list = slices.Delete(l.list, i, i+1)
			return
		}
	}
	l.list = l.list[:maxSpread*k]
}

// expire marks the peers that were asked too long ago, and returns them.
func (l *lookup) expire(now, patience int) (silent []wire.PeerID) {
	for i := range l.list {
		if c := &l.list[i]; c.status == asked && now-c.at > patience {
			c.status = failed
			silent = append(silent, c.id)
		}
	}
	return silent
}

// next returns the peers to ask now, so that alpha are in flight; done if the k nearest that have not failed have
// answered.
func (l *lookup) next(now, k, alpha int) (ask []wire.PeerID, done bool) {
	flight, near := 0, 0
	for i := range l.list {
		if l.list[i].status == asked {
			flight++
		}
	}
	done = true
	for i := range l.list {
		c := &l.list[i]
		if c.status == failed {
			continue
		}
		if near++; near > k {
			break
		}
		if c.status == heardOf && l.asks < maxAsks {
			if done = false; flight < alpha {
				c.status, c.at = asked, now
				flight++
				l.asks++
				ask = append(ask, c.id)
			}
		} else if c.status == asked {
			done = false
		}
	}
	return ask, done
}

// waits reports whether a peer was asked and has not answered, and records that it has.
func (l *lookup) waits(from wire.PeerID) bool {
	i := slices.IndexFunc(l.list, func(c candidate) bool { return c.id == from && c.status == asked })
	if i >= 0 {
		l.list[i].status = answered
	}
	return i >= 0
}

// nearest returns the k nearest peers that have answered.
func (l *lookup) nearest(k int) (list []wire.PeerID) {
	for _, c := range l.list {
		if c.status == answered && len(list) < k {
			list = append(list, c.id)
		}
	}
	return list
}

// see records that another peer has returned a value. It counts as found when enough have returned the same one.
func (l *lookup) see(value []byte, enough int) {
	own, n := sha256.Sum256(value), 1
	for _, other := range l.seen {
		if other == own {
			n++
		}
	}
	l.seen = append(l.seen, own)
	if n >= enough && l.found == nil {
		l.found = value
	}
}
