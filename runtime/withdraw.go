package runtime

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/classes"
)

// A peer that is down or cannot keep up would later receive the messages of all rounds that ended without it,
// and would answer each of them too late. So unsent messages are withdrawn: when an execution that began here
// ends without the answer of an asked peer, and none of its messages has been sent to that peer, all of them
// are removed from the outbox. If a peer has received a message of an execution, it continues the execution.

// mayWithdraw reports whether peers of other classes receive messages of the executions that begin here only
// from this peer, and from one frame. Otherwise they would wait for the withdrawn part. If they answer all
// peers of this class, the others do not continue the execution.
func mayWithdraw(p *Partition) bool {
	return len(classes.Split(p.Class)) == 1 && !slices.ContainsFunc(p.Edges, func(e Edge) bool {
		if e.Collective != nil {
			return false
		}
		if e.Receives {
			return e.From == "" || e.From == p.Class
		}
		return slices.Contains(e.Origins, p.Class)
	})
}

// withdrawAll withdraws a frame's execution from the asked peers that have not contributed.
func (n *Node) withdrawAll(f *Frame) {
	if !f.short || !n.withdraws || f.exec.Origin != n.self.id {
		return
	}
	for i := range f.gathers {
		for k := range f.gathers[i].Missing {
			if p := n.byIndex[k]; p != n.self {
				n.stats.Withdrawn += uint64(p.outbox.Withdraw(f.exec))
			}
		}
	}
}
