package peer

import (
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// link is what the host keeps of a peer, from one connection to the next. The
// loop alone touches it, but for the counters.
type link struct {
	runtime.PeerConfig
	conn     *conn // nil: there is none
	dialling bool
	planned  bool // to be dialled
	attempts int  // in a row

	incarnation uint64 // of the last connection
	proof       []byte

	up    bool // as the node sees it
	since time.Time
	rtt   time.Duration
	skew  time.Duration // by which the peer's clock is ahead
	err   error         // why there is no connection

	said bool               // it has introduced itself on this connection
	met  *wire.Introduction // as it has introduced itself last; nil: it never has

	rests   int   // in a row, see [host.rest]
	restTil int64 // the end of the last
	restFor error // why

	heard int64 // when a ping was answered last; 0: never

	sent, received             atomic.Int64 // bytes
	sentBefore, receivedBefore int64        // when they were counted last
	inRate, outRate            float64      // bytes a second since the time before

	waste   conversation.Waste   // of what the peer sends
	inbound conversation.Inbound // payloads
}

// maxRedial bounds how long a host waits before it dials a peer again that it
// has an address of: a coordinator that was restarted is found soon.
const (
	firstRedial = 10 * time.Millisecond
	maxRedial   = time.Second
)

// keep says that a connection to the peer is wanted, whether or not the node
// has something to send: the peer may have no way to dial.
func (l *link) keep() bool { return len(l.Addresses) > 0 }

func (l *link) backoff() time.Duration {
	return min(firstRedial<<min(l.attempts, 16), maxRedial)
}

// wins reports whether a new connection takes the place of the one there is.
// Two peers that dial each other at the same moment must drop the same one of
// the two: the one that the smaller id dialled stays. Dialled by the same end, or
// by a peer that was started anew, the later one is the one that lives.
func (l *link) wins(self wire.PeerID, dialled bool, incarnation uint64) bool {
	c := l.conn
	if c == nil || c.dialled == dialled || incarnation > c.hello.Incarnation {
		return true
	}
	return dialled == (self.Compare(l.ID) < 0)
}
