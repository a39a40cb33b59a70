package runtime

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/estimate"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
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

// leaseTime is how long, in ns, a peer may be disconnected until the executions end that its fills have opened
// and of which no block has run. A peer that comes back repeats only unacknowledged messages; the other values
// that such executions wait for were never sent.
const leaseTime = 60e9

var errGone = errors.New("the peer that has begun it is gone")

// lease starts the lease of a disconnected peer.
func (n *Node) lease(p *peer) {
	if p.leased || p.uses.Used(ledger.Frames) == 0 || p == n.self {
		return
	}
	p.leased = true
	n.setPeerTimer(p, endLease, n.now+leaseTime)
}

// endLease ends the executions that a peer has opened and of which no block has run, if the peer is still
// disconnected.
func (n *Node) endLease(p *peer) {
	p.leased = false
	if p.connected && !p.blocked {
		return
	}
	for f := n.first; f != nil; f = f.next {
		if f.from == p && f.waitsForFills() {
			n.abandon(f)
		}
	}
}

// waitsForFills reports whether no block of a frame has run or is about to run.
func (f *Frame) waitsForFills() bool {
	return !f.ended && f.left == len(f.module.blocks) && f.commands == 0 && f.fired.Empty()
}

// abandon fails the cut points that a frame waits for.
func (n *Node) abandon(f *Frame) {
	for c := range f.module.Cuts {
		if f.module.Cuts[c].Kind == FillCut {
			n.lose(f, c, fmt.Errorf("%w: %v", errGone, f.from.id))
		}
	}
}

// A peer that is started without a snapshot has lost what its last incarnation acknowledged, and will not
// answer it. Its Hello contains that, and gathers do not wait for these answers. If a gather cannot reach its quorum
// without them, its round is short at once.

// errForgotten is the reason to leave a peer out of gathers that waited for its previous incarnation.
var errForgotten = errors.New("was started again without its state, and has lost the request")

// leaveOutRestarted leaves a peer out of the gathers for which it has acknowledged all that it was sent.
func (n *Node) leaveOutRestarted(p *peer) {
	for f := n.first; f != nil; f = f.next {
		if f.ended || !f.restored && !f.hasSentTo(p) || p.outbox.Owes(&f.exec) {
			continue
		}
		for i := range f.gathers {
			if g := &f.gathers[i]; g.waitsFor(f, p) {
				n.leaveOut(f, g, p)
			}
		}
	}
}

// leaveOut fails the contribution of a peer to a gather.
func (n *Node) leaveOut(f *Frame, g *gather, p *peer) {
	c, err := n.child(f, f.module.contribution(n, g.cut), p)
	if err != nil {
		return // there is no room: the gather has its deadline
	}
	for cut := range c.module.Cuts {
		n.lose(c, cut, errForgotten)
	}
}

// contribution returns the module of the contributions to a GatherCut.
func (m *module) contribution(n *Node, cut int) *module {
	for i := range n.modules {
		if c := &n.modules[i]; c.Child && c.Parent == m.index && c.ParentCut == cut {
			return c
		}
	}
	panic("BUG: no peer contributes to gather " + m.Cuts[cut].Name + " of " + m.Name)
}
