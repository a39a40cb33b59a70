package peer

import (
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/wire"
)

// ping sends pings, and does what else is to be done once per interval.
func (h *host) ping() {
	now := h.Now()
	for _, l := range h.links {
		if c := l.conn; c != nil {
			h.node.SetHeartbeat(l.ID, int64(c.Heartbeat()))
			if c.Quiet(now) {
				c.AskPing(now)
			}
			h.fetchDeferred(l)
		}
	}
	if now-h.stated > int64(h.Heartbeat())*3/4 {
		h.stated = now
		h.statusLine("status")
	}
	h.progress.tellAwaited(h)
	h.progress.tellBlocked(h)
	h.progress.tellBroken(h)
	h.countTraffic(time.Now())
	h.out.Retry()
	h.watchClock()
	h.upgrader.Look()
}

// Alive tells the node that something has come from a peer.
func (h *host) Alive(c *connection.Conn) {
	if h.links[c.Peer()].conn == c {
		h.node.Alive(h.Now(), c.Peer())
	}
}

// Pong handles the answer to a ping. The peer's time in it is that of the middle of the round trip.
func (h *host) Pong(c *connection.Conn, p wire.Ping) {
	l := h.links[c.Peer()]
	if l.conn != c {
		return
	}
	now := h.Now()
	l.rtt = time.Duration(max(now-int64(p.ID), 0))
	if l.shortest == 0 || l.rtt < l.shortest {
		l.shortest = l.rtt
	}
	h.spread(l)
	l.skew = time.Duration(int64(p.Unix) + int64(l.rtt)/2 - time.Now().UnixNano())
	h.node.Alive(now, l.ID)
}
