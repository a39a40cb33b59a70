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
