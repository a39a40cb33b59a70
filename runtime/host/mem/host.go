package mem

import "github.com/bbgen/bbgen/runtime"

// host is one peer: a node, or its remains while it is down.
type host struct {
	w         *Network
	index     int
	class     string
	config    runtime.Config
	partition func() *runtime.Partition
	fresh     *runtime.Partition // made but not yet run; may be nil

	node  *runtime.Node // nil while it is down
	begun bool
	born  int64 // when the incarnation started
	skew  int64 // clock drift in millionths
	wake  int64 // the time of the planned wake-up
	hung  int64 // the time until which it is paused
	disk  disk
	spool *spool // nil: values stay in memory

	absent   bool                // it joins later
	stopping int64               // how long it stays away when it has stopped; 0: it is not stopping
	leaving  int64               // how long it stays away after its last snapshot; 0: it takes none
	members  []member            // the members of which it was told
	doomed   map[FaultKind]int64 // when it will be up again, if the condition of a fault occurs
	dying    bool                // the condition has occurred
}

// clock returns the peer's own time.
func (h *host) clock() int64 {
	d := h.w.now - h.born
	return d + d/1000000*h.skew + d%1000000*h.skew/1000000
}

// introduce tells the peer its members, and observes its blocks.
func (h *host) introduce() {
	if len(h.config.Peers) == 0 {
		h.config.Book = h.w.book
	}
	trace := h.config.Trace
	h.config.Trace = func(s runtime.Step) {
		h.w.Steps++
		h.w.hash.add(uint64(h.w.now), uint64(h.index), s.Exec.Incarnation, s.Exec.Number)
		h.w.hash.text(s.Module)
		h.w.hash.text(s.Block)
		h.dying = h.dying || h.doomed[CrashBlock] > 0
		if trace != nil {
			trace(s)
		}
	}
}

// start begins an incarnation: from the snapshot if there is one.
func (h *host) start() {
	h.begun, h.born, h.wake = true, h.w.now, 0
	h.config.Incarnation++
	if err := h.load(); err != nil {
		h.w.fail(h, err)
		return
	}
	h.tellMembers()
	if h.w.Booting != nil && len(h.node.NotBooted()) > 0 {
		h.w.Booting(h.index, h.node)
	}
	h.beat(h.node)
	if h.w.config.Places {
		h.dialConfigured()
	}
	h.pump()
}

// plan schedules a function at a time, or when the peer is not paused any more.
func (h *host) plan(at int64, do func()) {
	h.w.queue.Add(at, func() {
		if h.hung > h.w.now {
			h.plan(h.hung, do)
		} else {
			do()
		}
	})
}

// stop stops the peer in an orderly way, and starts it again some time later.
func (h *host) stop(away int64) {
	if h.node != nil && h.stopping == 0 {
		h.stopping = away + 1
		h.node.Stop(h.clock())
		h.pump()
	}
}

// restart takes a last snapshot, and continues from it some time later. A peer without state has none.
func (h *host) restart(away int64) {
	if h.node != nil && h.config.Durable && h.leaving == 0 {
		h.leaving = away + 1
		h.node.RequestCheckpoint()
		h.pump()
	}
}

// leave ends a peer whose last snapshot is durable, after the messages that waited for it.
func (h *host) leave() {
	if h.node == nil || h.leaving == 0 {
		return
	}
	h.w.struck(Restart)
	h.w.queue.Add(h.w.now+h.leaving, h.start)
	h.crash()
}

// doom makes the peer crash when the condition of a fault occurs, if that is within the fault's time.
func (h *host) doom(f Fault) {
	until := h.w.now + f.For
	if h.doomed == nil {
		h.doomed = map[FaultKind]int64{}
	}
	if until <= h.doomed[f.Kind] {
		return
	}
	h.doomed[f.Kind] = until
	h.w.queue.Add(until, func() {
		if h.doomed[f.Kind] == until {
			delete(h.doomed, f.Kind)
		}
	})
}

// die is the crash of a fault with a condition.
func (h *host) die(k FaultKind) {
	h.w.struck(k)
	until := h.doomed[k]
	delete(h.doomed, k)
	h.crash()
	h.w.queue.Add(until, h.start)
}

// crash loses everything except the disk's content. The channels break.
func (h *host) crash() {
	h.node, h.dying, h.stopping, h.leaving, h.hung = nil, false, 0, 0, 0
	if h.spool != nil && h.spool.unwritten() > 0 && h.w.Unwritten != nil {
		h.w.Unwritten(h.index)
	}
	h.disk.crash(h.w)
	for _, o := range h.w.hosts {
		if l := h.w.links[pair(h, o)]; l != nil {
			l.breakUp()
		}
	}
}

// pump carries out the node's outputs until there are none, then plans its next wake-up.
func (h *host) pump() {
	for h.node != nil && h.w.err == nil {
		o, ok := h.node.Poll(h.clock())
		if h.dying {
			h.die(CrashBlock)
			break
		}
		if !ok {
			break
		}
		h.do(o)
	}
	if h.node == nil {
		return
	}
	if at, ok := h.node.WakeAt(); ok {
		h.wakeAt(h.w.now + max(at-h.clock(), 1))
	}
}

// wakeAt plans a wake-up, unless one is planned already. A slow clock makes it too early, and it is planned
// again.
func (h *host) wakeAt(at int64) {
	if h.wake > h.w.now && h.wake <= at {
		return
	}
	h.wake = at
	node := h.node
	h.plan(at, func() {
		if h.node == node && h.wake == at {
			h.wake = 0
			node.Tick(h.clock())
			h.pump()
		}
	})
}

func (h *host) do(o runtime.Output) {
	w := h.w
	w.hash.add(uint64(w.now), uint64(h.index), uint64(o.Kind))
	switch o.Kind {
	case runtime.Send:
		w.hash.add(o.Envelope.Seq, o.Envelope.Ack, uint64(len(o.Envelope.Fills)))
		w.send(h, w.byID[o.Peer], o.Envelope)
	case runtime.Dial:
		w.dial(h, w.byID[o.Peer])
	case runtime.Hangup:
		w.link(h, w.byID[o.Peer]).breakUp()
	case runtime.Fetch:
		w.hash.add(o.Bulk.ID, o.Bulk.Size)
		w.fetch(h, w.byID[o.Peer], o.Bulk)
	case runtime.Load:
		w.hash.add(o.Value.Size())
		h.loadValue(o.Peer, o.Value)
	case runtime.Run:
		h.run(o)
	case runtime.Checkpoint:
		h.checkpoint()
	case runtime.Tell:
		w.hash.add(uint64(o.Event.Kind))
		w.hash.text(o.Event.Name)
		if w.Told != nil {
			w.Told(h.index, *o.Event)
		}
		if o.Event.Kind == runtime.Phase && o.Event.Name == "running" && w.Started != nil {
			w.Started(h.index, h.node)
		}
		if o.Event.Kind == runtime.Phase && o.Event.Name == "stopped" && h.stopping > 0 {
			w.struck(Stop)
			w.queue.Add(w.now+h.stopping, h.start)
			h.crash()
		}
	}
}

// run runs a command at its virtual cost.
func (h *host) run(o runtime.Output) {
	node := h.node
	if h.w.Ran != nil {
		h.w.Ran(h.index, o.Task, false)
	}
	h.plan(h.w.now+h.w.config.Command+h.w.upTo(h.w.config.Command), func() {
		if h.node != node {
			return
		}
		if h.w.Ran != nil {
			h.w.Ran(h.index, o.Task, true)
		}
		if err := node.Complete(h.clock(), o.Command, o.Task.Do()); err != nil {
			h.w.fail(h, err)
		}
		h.pump()
	})
}
