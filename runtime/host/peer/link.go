package peer

import (
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
// dialed by the same end, or by a restarted peer, the later one is kept.
func (l *link) wins(self wire.PeerID, dialed bool, incarnation uint64) bool {
	c := l.conn
	if c == nil || c.dialed == dialed || incarnation > c.hello.Incarnation {
		return true
	}
	return dialed == (self.Compare(l.ID) < 0)
}
