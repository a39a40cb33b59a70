package peer

import (
	"errors"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/wire"
)

// link is the host's state for a peer, across connections. Only the loop uses it, except the counters.
type link struct {
	runtime.PeerConfig
	connection.Account
	conn *connection.Conn // nil: not connected
	present
	dialing  bool
	planned  bool // a dial is planned
	attempts int  // consecutive

	incarnation uint64 // of the last connection
	proof       []byte

	since time.Time
	rtt   time.Duration
	skew  time.Duration // by which the peer's clock is ahead
	err   error         // why there is no connection

	met *wire.Introduction // its latest introduction, or nil

	rests   int   // consecutive, see [host.rest]
	restTil int64 // the end of the last one
	restFor error // its reason

	parallelTil int64 // until then its connections get no parallel streams

	sentBefore, receivedBefore int64   // at the last count
	inRate, outRate            float64 // bytes per second since the count before
}

// present is the loop's state of the present connection of a link.
type present struct {
	bulk     *connection.Bulk // nil: not needed yet
	opening  bool             // the bulk stream is being opened
	begun    int              // how many parallel streams this end has begun to open
	stalled  bool             // the node had no room for a batch
	shortest time.Duration    // the shortest round trip that was measured; 0: none
	said     bool             // the peer has introduced itself
	over     error            // why the connection has ended, while one that is dialed may replace it
}

// begin makes a connection the present one; nil: there is none.
func (l *link) begin(c *connection.Conn) { l.conn, l.present = c, present{} }

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
	if c == nil || l.over != nil || c.Dialed == dialed || incarnation > c.Hello.Incarnation {
		return true
	}
	return dialed == (self.Compare(l.ID) < 0)
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

// rested records that a payload of a peer got a place.
func (l *link) rested() { l.rests = 0 }
