package runtime

import (
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/wire"
)

// NewExecution returns the name of an execution that this peer begins by sending in it, for [Engine.SendApart].
func (e *Engine) NewExecution() wire.ExecID { return e.begun.Next() }

// open makes the frame of a module in an execution.
func (n *Node) open(m *module, x *wire.ExecID, from *peer) *Frame {
	if !n.ledger.Admits(from.share(), ledger.Frames, 1) {
		n.overflow("executions")
		return nil
	}
	f := n.newFrame(m, x, from)
	n.addLive(f)
	return f
}

// newFrame takes a frame from the pool or makes one, and counts it in the share of the peer whose fill opens
// it.
func (n *Node) newFrame(m *module, x *wire.ExecID, from *peer) *Frame {
	var f *Frame
	if k := len(m.pool); k > 0 {
		f, m.pool = m.pool[k-1], m.pool[:k-1]
		n.ledger.Add(nil, ledger.Pooled, -int64(f.mostHeld))
	} else {
		body := m.New()
		f = body.frame()
		f.body, f.module = body, m
		f.senders = make([]*peer, len(m.Cuts))
		f.ready, f.failed = container.NewBitset(len(m.Cuts)), container.NewBitset(len(m.Cuts))
		f.fired, f.done = container.NewBitset(len(m.Blocks)), container.NewBitset(len(m.Blocks))
		for c := range m.Cuts {
			if m.Cuts[c].Kind == GatherCut {
				f.gathers = append(f.gathers, gather{cut: c})
			}
		}
	}
	f.exec, f.from, f.since, f.left = *x, from, n.now, len(m.blocks)
	n.ledger.Add(nil, ledger.Frames, 1)
	f.charge(from)
	n.stats.Frames++
	n.traceFrame(f)
	return f
}

// begin queues the blocks that wait for no cut point, and sets timers for fills with a deadline.
func (n *Node) begin(f *Frame) {
	for _, b := range f.module.entry {
		n.queue(f, b)
	}
	if !f.module.timed {
		return
	}
	for c := range f.module.Cuts {
		if d := f.module.Cuts[c].Within; d > 0 {
			n.setDeadline(f, c, cutDeadline, n.now+d)
		}
	}
}

// addLive adds a frame to the live ones; removeLive removes it.
func (n *Node) addLive(f *Frame) {
	h := n.histories.of(&f.exec, f.module.index)
	if h == nil {
		h = n.histories.begin(keyOf(&f.exec, f.module.index), n.peer(f.exec.Origin))
	}
	h.add(f)
	n.link(f)
}

func (n *Node) removeLive(f *Frame) {
	n.histories.remove(f)
	n.unlink(f)
}

// link adds a frame to the list of live frames; unlink removes it. A removed frame keeps its link to the next one, so that
// a loop over the list may end the frame at which it is, and others: no frame is used again before the next cycle.
func (n *Node) link(f *Frame) {
	f.prev, f.next = n.last, nil
	if n.last != nil {
		n.last.next = f
	} else {
		n.first = f
	}
	n.last = f
}

func (n *Node) unlink(f *Frame) {
	if f.prev != nil {
		f.prev.next = f.next
	} else {
		n.first = f.next
	}
	if f.next != nil {
		f.next.prev = f.prev
	} else {
		n.last = f.prev
	}
	f.prev = nil
}

// end ends a frame. Its timers are stale from now on.
func (n *Node) end(f *Frame) {
	if !f.ended {
		n.endActivity(f)
	}
	f.ended = true
	if f.timers > 0 {
		n.countTimers(f, -f.timers)
	}
}

// drop ends a frame that is not needed any more. Its memory is kept while a command works on it.
func (n *Node) drop(f *Frame) {
	n.end(f)
	if f.commands == 0 {
		n.recycle(f)
		return
	}
	f.abandoned = true
	n.stats.Abandoned++
}

// recycle returns a frame, and the child frames that it gathered, to their pools.
func (n *Node) recycle(f *Frame) {
	f.body.Clear()
	for i := range f.gathers {
		g := &f.gathers[i]
		for _, c := range g.children {
			n.drop(c)
		}
		g.reset()
	}
	for c := range f.folds {
		f.forgetFolds(c)
	}
	n.ledger.Add(nil, ledger.Frames, -1)
	n.ledger.Add(f.from.share(), ledger.Held, -int64(f.held))
	n.ledger.Add(f.from.share(), ledger.Spooled, -f.spooled)
	f.charge(nil)
	clear(f.senders)
	f.sentTo.Clear()
	f.ready.Clear()
	f.failed.Clear()
	f.fired.Clear()
	f.done.Clear()
	f.gen, f.mostHeld = f.gen+1, max(f.mostHeld, f.held)
	f.execution = execution{}
	if most := int64(f.mostHeld); len(f.module.pool) == 0 || n.ledger.Admits(nil, ledger.Pooled, most) { // at least one of each module
		n.ledger.Add(nil, ledger.Pooled, most)
		f.module.pool = append(f.module.pool, f)
	}
}

// initiator returns the peer that began a frame's execution here, or nil for the node itself.
func (n *Node) initiator(f *Frame) *peer {
	if f.from == n.self || f.history.origin == n.self { // the node numbered them: see mayOpen
		return nil
	}
	return f.from
}
