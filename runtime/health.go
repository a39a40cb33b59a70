package runtime

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/internal/estimate"
	"github.com/bbgen/bbgen/runtime/wire"
)

// healthPeriod is the interval in ns at which silent peers are looked for. There is no need to look before one
// has been silent for as long as usual.
const healthPeriod = 100e6

var errSilent = errors.New("the peer has fallen silent")

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

// SetHere tells whether a peer is a process of the same machine.
func (n *Node) SetHere(id wire.PeerID, here bool) {
	if p := n.peer(id); p != nil {
		p.here = here
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
			next = min(next, p.lastSeen+max(p.silence.Mean(), heartbeat))
			switch phi := p.silence.Phi(n.now-p.lastSeen, heartbeat); {
			case phi >= estimate.Down:
				n.setDown(p, errSilent)
			case phi >= estimate.Suspect && !p.suspect:
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
