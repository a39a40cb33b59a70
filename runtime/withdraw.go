package runtime

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/internal/container"
)

// A peer that is down or cannot keep up would find all the rounds that ended without
// it when it is there again, and answer one after the other too late. So what it has
// heard nothing of is withdrawn: when an execution that began here ends without the
// answer of a peer that was asked, and nothing of it has gone out to that one yet,
// all of it is taken back. An execution of which a peer has heard goes on there.

// mayWithdraw reports whether peers of other classes hear of the executions that begin
// here from this one alone, and from one frame: else they would wait for the part that
// is withdrawn. Where they answer all of this class, none of that goes on with it.
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

// withdrawAll withdraws a frame's execution from those who were asked and have not
// contributed.
func (n *Node) withdrawAll(f *Frame) {
	if !f.short || !n.withdraws || f.exec.Origin != n.self.id {
		return
	}
	for i := range f.gathers {
		g := &f.gathers[i]
		for _, p := range g.asked {
			if g.awaits(p) && p != n.self {
				n.withdraw(p, f)
			}
		}
	}
}

// withdraw takes the envelopes of an execution out of a peer's outbox if the first of
// them has never gone out.
func (n *Node) withdraw(p *peer, f *Frame) {
	o := &p.outbox
	isOf := func(e *envelope) bool { return e.exec == f.exec && !e.again }
	begun := false
	for i := o.sent; i < o.queue.Len() && !begun; i++ {
		e := *o.queue.At(i)
		begun = e.begins && isOf(e)
	}
	if !begun {
		return
	}
	kept := container.Fifo[*envelope]{}
	o.seq -= uint64(o.queue.Len() - o.sent)
	for i := range o.queue.Len() {
		e := *o.queue.At(i)
		switch {
		case i < o.sent:
		case isOf(e):
			n.stats.Withdrawn++
			n.outbound--
			p.outBytes -= e.bytes
			n.free(e)
			continue
		default:
			o.seq++
			e.seq = o.seq
		}
		kept.Push(e)
	}
	o.queue = kept
}
