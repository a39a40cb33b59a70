package peer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// link is the host's state for a peer, across connections. Only the loop uses it, except the counters.
type link struct {
	runtime.PeerConfig
	conn     *conn // nil: not connected
	dialing  bool
	planned  bool // a dial is planned
	attempts int  // consecutive

	incarnation uint64 // of the last connection
	proof       []byte

	since time.Time
	rtt   time.Duration
	skew  time.Duration // by which the peer's clock is ahead
	err   error         // why there is no connection

	said bool               // it has introduced itself on this connection
	met  *wire.Introduction // its latest introduction, or nil

	rests   int   // consecutive, see [host.rest]
	restTil int64 // the end of the last one
	restFor error // its reason

	parallelTil int64 // until then its connections get no parallel streams

	sent, received             atomic.Int64 // bytes
	sentBefore, receivedBefore int64        // at the last count
	inRate, outRate            float64      // bytes per second since the count before

	waste   conversation.Waste   // of the peer's messages
	inbound conversation.Inbound // payloads
}

// maxRedial bounds the delay before a host dials a peer with a known address again, so that a restarted
// coordinator is found soon.
const (
	firstRedial = 10 * time.Millisecond
	maxRedial   = time.Second
)

// keep reports whether a connection to the peer is wanted, even if the node has no messages for it: the peer
// may be unable to dial.
func (l *link) keep() bool { return len(l.Addresses) > 0 }

func (l *link) backoff() time.Duration {
	return min(firstRedial<<min(l.attempts, 16), maxRedial)
}

// wins reports whether a new connection replaces the present one. If two peers dial each other at the same
// time, both must keep the same connection: the one that the peer with the smaller id dialed. Of connections
// dialed by the same end, or by a restarted peer, the later one is kept, and so is one that comes after the end of the other.
func (l *link) wins(self wire.PeerID, dialed bool, incarnation uint64) bool {
	c := l.conn
	if c == nil || c.over != nil || c.dialed == dialed || incarnation > c.hello.Incarnation {
		return true
	}
	return dialed == (self.Compare(l.ID) < 0)
}

// sorted returns the links by class and rank.
func (h *host) sorted() []*link {
	return slices.SortedFunc(maps.Values(h.links), func(a, b *link) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Rank, b.Rank), a.ID.Compare(b.ID))
	})
}

// linkOf returns the link to a peer, which it makes if it is missing, with this configuration.
func (h *host) linkOf(c runtime.PeerConfig) *link {
	l := h.links[c.ID]
	if l == nil {
		l = &link{}
		h.links[c.ID] = l
		h.admitted.Store(c.ID, true)
	}
	l.PeerConfig = c
	return l
}

// isAdmitted reports whether a peer may take part. It is safe for concurrent use.
func (h *host) isAdmitted(id wire.PeerID) bool {
	_, ok := h.admitted.Load(id)
	return ok
}

// linkTo returns the link to a peer that the node has admitted, also if a component has admitted it at run
// time; nil for others.
func (h *host) linkTo(id wire.PeerID) *link {
	if l := h.links[id]; l != nil {
		return l
	}
	class, rank, ok := h.node.ClassOf(id)
	if !ok || id == h.config.Self {
		return nil
	}
	h.log.Info("peer admitted by the program", "peer", id, "class", class, "rank", rank)
	return h.linkOf(runtime.PeerConfig{ID: id, Class: class, Rank: rank})
}

// places returns the addresses of a peer: first those of the configuration, then those that the program has
// recorded, the latest first.
func (h *host) places(l *link) []wire.Address {
	list := slices.Clone(l.Addresses)
	for _, a := range slices.Backward(h.node.Address(l.ID)) {
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// allow admits a peer while the host runs.
func (h *host) allow(c runtime.PeerConfig) error {
	if err := h.node.Allow(c); err != nil {
		return fmt.Errorf("admit %v: %w", c.ID, err)
	}
	h.linkOf(c)
	h.log.Info("peer admitted", "peer", c.ID, "class", c.Class, "rank", c.Rank)
	return nil
}

// ErrRest means that a peer may not connect for a while, because its messages on a new connection would end
// that one, too.
var ErrRest = errors.New("the peer must wait")

// How long a peer must wait at first, and at most. The time doubles until a payload of the peer gets a place,
// or the peer has given no reason for the maximum time.
const (
	firstRest = 100 * time.Millisecond
	maxRest   = 10 * time.Second
)

// rest closes the connection to a peer for a while, with a reason.
func (h *host) rest(l *link, err error) {
	if h.now()-l.restTil > int64(maxRest) {
		l.rests = 0
	}
	d := min(firstRest<<min(l.rests, 16), maxRest)
	l.rests++
	l.restTil, l.restFor = h.now()+int64(d), err
	if l.conn != nil {
		l.conn.close()
	}
	h.log.Warn("a peer must wait", "peer", l.ID, "for", d, "err", err)
}

// resting returns an error if a peer must still wait.
func (h *host) resting(l *link) error {
	if left := l.restTil - h.now(); left > 0 {
		return fmt.Errorf("peer %v: %w, %d ms more: %w", l.ID, ErrRest, left/1e6+1, l.restFor)
	}
	return nil
}

// rested records that a payload of a peer got a place.
func (l *link) rested() { l.rests = 0 }
