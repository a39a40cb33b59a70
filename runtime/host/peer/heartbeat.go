package peer

import (
	"sync/atomic"
	"time"
)

// pingShare is the interval of pings for each connected peer. So a peer with thousands of others sends and answers a
// thousand pings a second, whatever their number: more would take most of its time.
const pingShare = time.Millisecond

// longestPing is the longest interval of pings that a peer may ask for.
const longestPing = time.Minute

// heartbeat returns the interval of pings of this host, and of other work for each peer. It is safe for concurrent use.
func (h *host) heartbeat() time.Duration {
	return max(h.times.ping, time.Duration(h.streams.Load())*pingShare)
}

// pace is the interval of pings for which the other end of a connection asks, ns.
type pace struct{ told atomic.Int64 }

// tell sets the interval that a ping of the other end has told.
func (p *pace) set(every uint64) { p.told.Store(int64(min(every, uint64(longestPing)))) }

// heartbeat returns the interval of pings on a connection: the longer one of those of both ends.
func (c *conn) heartbeat() time.Duration {
	return max(c.h.heartbeat(), time.Duration(c.pace.told.Load()))
}
