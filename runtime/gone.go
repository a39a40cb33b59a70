package runtime

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
)

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
	for f := n.first; f != nil; {
		next := f.next
		if f.from == p && f.waitsForFills() {
			n.abandon(f)
		}
		f = next
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
