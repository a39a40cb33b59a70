package runtime

import (
	"errors"
	"math"
)

// estimate follows a quantity as TCP does its round-trip time (RFC 6298): a
// mean that moves by an eighth, a mean deviation that moves by a quarter.
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

// warm is how many samples an estimate needs to be believed.
const warm = 3

// bound returns what the quantity hardly ever exceeds, or prior if too little
// is known.
func (e *estimate) bound(prior int64) int64 {
	if e.count < warm {
		return prior
	}
	return e.mean + 4*e.dev
}

// deadline is a generous bound for something to happen: twice what it hardly
// ever exceeds, at least 100 ms, at most longest. It is no less than first as long
// as too little is known.
func (e *estimate) deadline(first, longest int64) int64 {
	d := max(2*(e.mean+4*e.dev), 100e6)
	if e.count < warm {
		d = max(d, first)
	}
	return min(d, longest)
}

// Thresholds of suspicion, as phi-accrual counts it: 8 is an error in 10⁸.
const (
	phiSuspect = 8
	phiDown    = 16
)

// minDeviation keeps a peer that answers like a clock from being suspected for
// a hiccup, ns.
const minDeviation = 50e6

// phi is how unlikely it is that a peer that lives has been silent for so long:
// 1 in 10^phi. One that has had much to say may be busy now, and is then heard as
// often as it is asked. The normal distribution is approximated by a logistic one
// as usual.
func (e *estimate) phi(silent, heartbeat int64) float64 {
	if e.count < warm {
		return 0
	}
	y := float64(silent-max(e.mean, heartbeat)) / max(float64(e.dev)*1.25, minDeviation, float64(heartbeat)/4)
	z := y * (1.5976 + 0.070566*y*y)
	if z > 700 {
		return z / math.Ln10 // 1/(1+exp(z)) is next to exp(-z)
	}
	return math.Log10(1 + math.Exp(z))
}

// healthPeriod is how often silence is looked for, ns.
const healthPeriod = 100e6

// alive takes a sign of life of a peer.
func (n *Node) alive(p *peer) {
	if n.now > p.lastSeen {
		p.silence.add(n.now - p.lastSeen)
		p.lastSeen = n.now
	}
	if p.suspect || p.down {
		if p.down {
			n.tell(Event{Kind: PeerUp, Peer: p.id})
		}
		p.suspect, p.down = false, false
	}
}

var errSilent = errors.New("the peer has fallen silent")

// setDown says that a peer cannot be heard. Joins go on without it if they can.
func (n *Node) setDown(p *peer, err error) {
	if p.down || p == n.self {
		return
	}
	p.down = true
	n.stats.PeersDown++
	n.tell(Event{Kind: PeerDown, Peer: p.id, Since: p.lastSeen, Err: err})
	n.reweigh = true
}

// scan looks for peers that have fallen silent.
func (n *Node) scan() {
	if n.config.Heartbeat > 0 && n.now >= n.nextScan {
		n.nextScan = n.now + healthPeriod
		for _, p := range n.roster {
			if !p.connected || p.down {
				continue
			}
			switch phi := p.silence.phi(n.now-p.lastSeen, n.config.Heartbeat); {
			case phi >= phiDown:
				n.setDown(p, errSilent)
			case phi >= phiSuspect && !p.suspect:
				p.suspect = true
				n.tell(Event{Kind: PeerSuspect, Peer: p.id, Since: p.lastSeen})
			}
		}
	}
	if n.reweigh {
		n.reweigh = false
		for _, c := range n.communicators {
			n.noticeLost(c)
		}
		for f := n.first; f != nil; f = f.next {
			for i := range f.gathers {
				n.weigh(f, &f.gathers[i])
			}
		}
	}
}
