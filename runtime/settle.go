package runtime

import (
	"errors"
	"slices"

	"github.com/bbgen/bbgen/runtime/classes"
)

var errBroken = errors.New("a block failed")

// arrive records that a cut point has its value, and queues the blocks that waited only for it.
func (n *Node) arrive(f *Frame, cut int) {
	if f.ended || f.settled(cut) {
		return
	}
	f.ready.Add(cut)
	n.endWait(f, cut, nil)
	for _, b := range f.module.waiters[cut] {
		blk := &f.module.blocks[b]
		if blk.Any || f.ready.Covers(&blk.wait) {
			n.queue(f, int(b))
		}
	}
}

// Bring tells that the value of a LocalCut is in the frame: blocks that wait for it may run.
func (e *Engine) Bring(f *Frame, cut int) { e.node().arrive(f, cut) }

// queue puts a block on the frontier, once.
func (n *Node) queue(f *Frame, block int) {
	if f.fired.Has(block) {
		return
	}
	f.fired.Add(block)
	n.frontier.Push(frontierItem{f.ref(), block})
}

// lose records that a cut point will never have its value. Blocks that need it are poisoned, and so are the cut
// points that these blocks would start. Events report everything that depends on the value.
func (n *Node) lose(f *Frame, cut int, err error) {
	if f.ended || f.settled(cut) {
		return
	}
	f.failed.Add(cut)
	n.endWait(f, cut, err)
	err = &CutError{f.module.Name, f.module.Cuts[cut].Name, f.module.Cuts[cut].Kind, err}
	for _, b := range f.module.waiters[cut] {
		blk := &f.module.blocks[b]
		if !blk.Any || f.failed.Covers(&blk.wait) {
			n.poison(f, int(b), err)
		}
	}
	n.settle(f)
}

// poison records that a block failed, or never runs because a block or value that it needs failed.
//
// It terminates: each call adds to done, which has a bit for each block.
func (n *Node) poison(f *Frame, block int, err error) {
	if f.done.Has(block) {
		return
	}
	f.fired.Add(block)
	f.finish(block)
	f.broken = true
	if f.why == nil {
		f.why = err
	}
	blk := &f.module.blocks[block]
	n.stats.Failures++
	n.queueEvent(Event{Kind: Failed, Module: f.module.Name, Name: blk.Name, Exec: f.exec, Peer: f.From(),
		Err: &BlockError{f.module.Name, blk.Name, f.exec, f.From(), err}})
	n.tellLost(f, block, err)
	if n.continuesLoop(f, block, err) {
		return
	}
	n.failCalls(f, blk)
	for _, c := range blk.starts {
		n.lose(f, c, err)
	}
	for _, b := range blk.neededBy {
		n.poison(f, b, err)
	}
}

// settle ends the frame if it has nothing left to do.
func (n *Node) settle(f *Frame) {
	if f.left > 0 || f.ended {
		return
	}
	n.end(f)
	if f.parent != nil {
		n.contributed(f)
		return
	}
	n.leaveRound(f)
	n.withdrawAll(f)
	n.histories.finish(f.history, n.initiator(f), f.exec.Number, n.limits.Origins)
	n.removeLive(f)
	if f.exec.Origin == n.self.id || f.broken {
		e := Event{Kind: Finished, Module: f.module.Name, Exec: f.exec, Peer: f.From()}
		if f.broken {
			e.Err = errBroken
		}
		n.queueEvent(e)
	}
	n.finished = append(n.finished, f)
}

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
