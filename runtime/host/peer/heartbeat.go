package peer

import (
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

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

// alive tells the node that something has come from a peer.
func (h *host) alive(c *conn) {
	if c.link.conn == c {
		h.node.Alive(h.now(), c.link.ID)
	}
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
