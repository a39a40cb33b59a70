package runtime

import (
	"errors"
	"math"

	"github.com/bbgen/bbgen/runtime/wire"
)

// estimate tracks a quantity like the round-trip time of TCP (RFC 6298): a mean that moves by an eighth, and a
// mean deviation that moves by a quarter.
type estimate struct {
	mean, dev int64
	count     int
}

func (e *estimate) add(x int64) {
	if e.count == 0 {
		e.mean, e.dev = x, x/2
	} else {
		e.dev += (max(x-e.mean, e.mean-x) - e.dev) / 4
		e.mean += (x - e.mean) / 8
	}
	e.count++
}

// warm is the number of samples after which an estimate is used.
const warm = 3

// bound returns a value that the quantity rarely exceeds, or prior if there are too few samples.
func (e *estimate) bound(prior int64) int64 {
	if e.count < warm {
		return prior
	}
	return e.mean + 4*e.dev
}

// deadline returns a generous time limit: twice the value that the quantity rarely exceeds, at least 100 ms and
// at most longest. As long as there are too few samples it is at least first.
func (e *estimate) deadline(first, longest int64) int64 {
	d := max(2*(e.mean+4*e.dev), 100e6)
	if e.count < warm {
		d = max(d, first)
	}
	return min(d, longest)
}

// Suspicion thresholds of phi-accrual: 8 is an error rate of 10⁻⁸.
const (
	phiSuspect = 8
	phiDown    = 16
)

// minDeviation keeps a peer that answers very regularly from being suspected for a short delay, ns.
const minDeviation = 50e6

// phi returns how improbable it is that a live peer has been silent for so long: 1 in 10^phi. A peer that has
// sent much may be busy now, and may answer only pings, so the interval is at least that of pings. The normal
// distribution is approximated by a logistic one, as usual.
func (e *estimate) phi(silent, heartbeat int64) float64 {
	if e.count < warm {
		return 0
	}
	y := float64(silent-max(e.mean, heartbeat)) / max(float64(e.dev)*1.25, minDeviation, float64(heartbeat)/4)
	z := y * (1.5976 + 0.070566*y*y)
	if z > 700 {
		return z / math.Ln10 // 1/(1+exp(z)) is almost exp(-z)
	}
	return math.Log10(1 + math.Exp(z))
}

// healthPeriod is the interval in ns at which silent peers are looked for. There is no need to look before one
// has been silent for as long as usual.
const healthPeriod = 100e6

// alive records a sign of life of a peer.
func (n *Node) alive(p *peer) {
	if n.now > p.lastSeen {
		p.silence.add(n.now - p.lastSeen)
		p.lastSeen = n.now
	}
	p.suspect = false
	if n.isDown(p) {
		n.queueEvent(Event{Kind: PeerUp, Peer: p.id})
		n.down.Remove(p.index)
	}
}

var errSilent = errors.New("the peer has fallen silent")

// isDown reports whether a peer does not respond.
func (n *Node) isDown(p *peer) bool { return n.down.Has(p.index) }

// IsUp reports whether a peer has connected, and is not known to be down since.
func (n *Node) IsUp(id wire.PeerID) bool {
	p := n.peer(id)
	return p != nil && p.incarnation != 0 && !n.isDown(p)
}

// setDown records that a peer does not respond. Gathers continue without it if they can.
func (n *Node) setDown(p *peer, err error) {
	if n.isDown(p) || p == n.self {
		return
	}
	n.down.Add(p.index)
	n.stats.PeersDown++
	n.queueEvent(Event{Kind: PeerDown, Peer: p.id, Since: p.lastSeen, Err: err})
	n.reexamine = true
}

// SetHeartbeat sets the interval in ns of the pings to a peer, if it is longer than [Config.Heartbeat]: a peer that
// has thousands of others pings each of them less often.
func (n *Node) SetHeartbeat(id wire.PeerID, every int64) {
	if p := n.peer(id); p != nil {
		p.heartbeat = every
	}
}

// scan looks for silent peers.
func (n *Node) scan() {
	if n.config.Heartbeat > 0 && n.now >= n.nextScan {
		next := n.now + n.config.Heartbeat // a peer that connects now is not suspected before
		for _, p := range n.roster {
			if p == n.self || !p.connected || n.isDown(p) {
				continue
			}
			heartbeat := max(p.heartbeat, n.config.Heartbeat)
			next = min(next, p.lastSeen+max(p.silence.mean, heartbeat))
			switch phi := p.silence.phi(n.now-p.lastSeen, heartbeat); {
			case phi >= phiDown:
				n.setDown(p, errSilent)
			case phi >= phiSuspect && !p.suspect:
				p.suspect = true
				n.queueEvent(Event{Kind: PeerSuspect, Peer: p.id, Since: p.lastSeen})
			}
		}
		n.nextScan = max(next, n.now+healthPeriod)
	}
	if n.reexamine {
		n.reexamine = false
		for _, c := range n.communicators {
			n.noticeLost(c)
		}
		for f := n.first; f != nil; f = f.next {
			for i := range f.gathers {
				n.applyVerdict(f, &f.gathers[i])
			}
		}
	}
}
