package peer

import (
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
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

// ping sends pings, and does what else is to be done once per interval.
func (h *host) ping() {
	now := h.now()
	for _, l := range h.links {
		if c := l.conn; c != nil {
			h.node.SetHeartbeat(l.ID, int64(c.heartbeat()))
			if c.quiet(now) {
				c.askPing(now)
			}
			h.fetchDeferred(l)
		}
	}
	if now-h.stated > int64(h.heartbeat())*3/4 {
		h.stated = now
		h.statusLine("status")
	}
	h.progress.tellAwaited(h)
	h.progress.tellBlocked(h)
	h.progress.tellBroken(h)
	h.countTraffic(time.Now())
	h.out.Retry()
	h.watchClock()
	h.upgrader.look(h)
}

// pong handles the answer to a ping. The peer's time in it is that of the middle of the round trip.
func (h *host) pong(c *conn, p wire.Ping) {
	l := c.link
	if l.conn != c {
		return
	}
	now := h.now()
	l.rtt = time.Duration(max(now-int64(p.ID), 0))
	if c.rtt == 0 || l.rtt < c.rtt {
		c.rtt = l.rtt
	}
	h.spread(c)
	l.skew = time.Duration(int64(p.Unix) + int64(l.rtt)/2 - time.Now().UnixNano())
	h.node.Alive(now, l.ID)
}
