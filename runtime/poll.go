package runtime

import (
	"math"

	"github.com/bbgen/bbgen/runtime/fault"
)

// Poll returns the next output, or false if there is none before WakeAt or the next call that reports an event
// to the Node.
//
// When all outputs of the last cycle are taken, it runs the next cycle. The order of its phases is fixed:
//
//  1. frames that have ended are recycled
//  2. delivered envelopes are read, a few of each peer
//  3. blocks run
//  4. events open executions
//  5. timers of frames and modules
//  6. deadlines, and commands that have completed
//  7. the health of peers
//  8. blocks run
//  9. the node's own life: bootstrap, running, stopping
//  10. envelopes, commands and events go out
//
// Blocks and fills count against [Limits.Ops]. When the budget is used up, or the messages of each peer have
// been read in turn, and there is more to do, Poll returns Yield once before it continues.
func (n *Node) Poll(now int64) (out Output, ok bool) {
	n.advance(now)
	for {
		if n.out.Len() > 0 {
			n.take(&out, n.out.At(0))
			n.out.Drop()
			return out, true
		}
		if e := n.reports.next(); e != nil {
			return Output{Kind: Tell, Event: e}, true
		}
		switch {
		case !n.busy():
			n.recycleEnded()
			n.ops = 0
			return Output{}, false
		case n.ops >= n.limits.Ops || n.ingress.more:
			n.ops, n.ingress.more = 0, false
			n.stats.Yields++
			return Output{Kind: Yield}, true
		}
		n.cycle()
	}
}

// busy reports whether a cycle would have work to do.
func (n *Node) busy() bool {
	at, ok := n.WakeAt()
	return ok && at <= n.now
}

// WakeAt returns the time at which the Node has work if no other event occurs, and whether there is such a
// time.
func (n *Node) WakeAt() (int64, bool) {
	if n.phase == phaseStarting || n.out.Len()+n.reports.events.Len() > 0 || n.ready() {
		return n.now, true
	}
	at, ok := n.timers.next()
	if !ok {
		at = math.MaxInt64
	}
	if n.config.Heartbeat > 0 && len(n.roster) > 1 {
		at = min(at, n.nextScan)
	}
	return at, at < math.MaxInt64
}

func (n *Node) ready() bool {
	return n.frontier.Len()+n.commands.completed.Len()+n.scheduled.Len()+len(n.reports.bus)+len(n.handed) > 0 || n.reexamine ||
		n.ingress.n > 0 && !n.checkpoint.Needed() || n.mayCheckpoint()
}

func (n *Node) cycle() {
	n.recycleEnded()
	n.dropHanded()
	if !n.checkpoint.Needed() { // new executions would delay the snapshot
		n.drain()
	}
	n.run()
	n.route()
	n.fireTimers()
	n.expireAll()
	n.complete()
	n.scan()
	n.run()
	n.advancePhase()
	n.emit()
}

// recycleEnded recycles the frames that have ended.
func (n *Node) recycleEnded() {
	for i, f := range n.finished {
		n.drop(f)
		n.finished[i] = nil
	}
	n.finished = n.finished[:0]
}

// run runs blocks until none is left to run or the budget is used up.
func (n *Node) run() {
	for n.frontier.Len() > 0 && n.ops < n.limits.Ops {
		x := n.frontier.Pop()
		f := x.frame
		if x.ended() || f.done.Has(x.block) {
			continue
		}
		blk := &f.module.blocks[x.block]
		n.ops += max(blk.Ops, 1)
		n.stats.Blocks++
		if n.config.Trace != nil {
			n.config.Trace(Step{n.now, f.module.Name, blk.Name, f.exec, f.From()})
		}
		n.traceBlock(f, x.block)
		if err := n.call(f, x.block); err != nil {
			n.discardSent()
			n.poison(f, x.block, err)
		} else {
			f.finish(x.block)
			if x.block == f.module.next {
				n.nextRoundBegan(f)
			}
			n.flush()
		}
		n.settle(f)
	}
}

// call runs a block. Kernels panic when data do not fit, and data come from peers: so a panic fails the block,
// not the node.
func (n *Node) call(f *Frame, block int) (err error) {
	n.target, n.running = f.module.target, f
	n.enterRound(f, -1)
	defer func() {
		n.target, n.running = 0, nil
		if r := recover(); r != nil {
			err = fault.Recovered(f.module.Name, r)
		}
	}()
	return f.body.Run(n.engine(), block)
}

// fireTimers fires the timers that are due.
func (n *Node) fireTimers() {
	for {
		t, ok := n.dueTimer(&n.timers.ticks)
		if !ok {
			return
		}
		switch t.kind {
		case wakeFrame:
			n.arrive(t.frame, t.cut)
		case openModule:
			m := &n.modules[t.cut]
			if n.phase == phaseRunning && !n.closed() {
				if f := n.open(m, new(n.begun.Next()), nil); f != nil {
					n.begin(f)
				}
			}
			// Also while the node is stopping: a Node that is restored from its last snapshot has only this
			// timer.
			n.setTick(t.cut)
		}
	}
}

// expireAll ends waits whose deadline is over.
func (n *Node) expireAll() {
	for {
		t, ok := n.dueTimer(&n.timers.deadlines)
		if !ok {
			return
		}
		switch t.kind {
		case cutOverdue:
			n.overdue(t.frame, t.cut)
		case cutDeadline:
			n.expire(t.frame, t.cut)
		case retryPeer:
			t.peer.waiting = false
			n.schedule(t.peer)
		case endLease:
			n.endLease(t.peer)
		case resendPeer:
			n.resend(t.peer)
		}
	}
}
