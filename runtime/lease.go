package runtime

import (
	"errors"
	"fmt"
)

// leaseTime is for how long a peer may be gone until the executions end that its fills
// have opened and of which nothing has run yet, ns. A peer that comes back sends what was
// not acknowledged again; the rest of what such executions wait for was never sent.
const leaseTime = 60e9

var errGone = errors.New("the peer that has begun it is gone")

// lease starts the time of a peer that is not there.
func (n *Node) lease(p *peer) {
	if p.leased || p.frames == 0 || p == n.self {
		return
	}
	p.leased = true
	n.deadlines.add(n, timer{at: n.now + leaseTime, kind: endLease, peer: p})
}

// endLease ends what a peer has opened and nothing has run of, if it is still gone.
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

// waitsForFills reports whether nothing of a frame has run, and nothing is about to.
func (f *Frame) waitsForFills() bool {
	return !f.ended && f.left == len(f.module.blocks) && f.commands == 0 && f.fired.Empty()
}

// abandon fails what a frame waits for.
func (n *Node) abandon(f *Frame) {
	for c := range f.module.Cuts {
		if f.module.Cuts[c].Kind == FillCut {
			n.lose(f, c, fmt.Errorf("%w: %v", errGone, f.from.id))
		}
	}
}
