package runtime

import (
	"cmp"
	"encoding/binary"
	"errors"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A snapshot consists of, in this order: magic, schema, fingerprint, the node's own state, components, peers,
// finished executions, payloads, outboxes, frames, timers, waiting commands, stores, results that the host has
// not taken; and the CRC-32C of all that.
//
// Times are written as remaining durations. Ended executions, unread messages and repeatable measurements are
// left out.
//
// Large values are written as names in the host's [Spool], if it has one.
const snapshotMagic = "bbgen snapshot 5\n"

var (
	// ErrBusy is returned by Snapshot between blocks of a cycle or while a command runs.
	ErrBusy = errors.New("runtime: the node is busy")

	// ErrSnapshot is wrapped by errors about unusable snapshots.
	ErrSnapshot = errors.New("not a usable snapshot")
)

// RequestCheckpoint makes Poll return Checkpoint when all running commands have completed. New commands wait
// until then.
func (n *Node) RequestCheckpoint() { n.checkpoint.Request() }

// mayCheckpoint reports whether to ask the host for a snapshot now.
func (n *Node) mayCheckpoint() bool { return n.checkpoint.MayAsk() && n.atBoundary() }

// atBoundary reports whether the Node is at a block boundary and no command runs.
func (n *Node) atBoundary() bool {
	return n.frontier.Len()+n.completed.Len()+len(n.opened)+len(n.bus)+n.commands.running == 0 && n.phase != phaseStarting
}

// Snapshot appends all the state that the peer needs to continue after a restart. A host takes a snapshot when
// Poll returns Checkpoint.
//
// It holds the events of executions (Emitted, Finished, Failed, Missing, Published) that Poll has not returned
// yet, and a restored Node reports them again. So a host that records events writes them in their order, outside
// of the loop if it likes, and makes those that were reported before this call durable before it replaces the
// stored snapshot: then each is written at least once, and always in the same form.
func (n *Node) Snapshot(b []byte) ([]byte, error) {
	if !n.atBoundary() {
		return b, ErrBusy
	}
	start := len(b)
	n.spool.Err = nil
	w := snapshotWriter{b: append(b, snapshotMagic...), n: n, frames: map[*Frame]int{}, payloads: map[*outbox.Payload]int{}}
	w.node()
	w.peers()
	w.histories()
	w.outboxes()
	w.liveFrames()
	w.timers()
	w.waiting()
	w.stores()
	w.awaits()
	w.communicators()
	w.results()
	if w.err = cmp.Or(w.err, n.spool.Err); w.err != nil {
		return b[:start], w.err
	}
	b = binary.LittleEndian.AppendUint32(w.b, wire.CRC(w.b[start:]))
	for _, p := range n.roster {
		p.inbox.Snapshot()
	}
	n.checkpoint.Taken()
	for i := range n.slots {
		n.pump(&n.slots[i])
	}
	return b, nil
}

// Persisted reports that the last snapshot is durable: messages and acknowledgements that depend on it may be
// sent.
func (n *Node) Persisted(now int64) {
	n.advance(now)
	if !n.checkpoint.Persisted() {
		return
	}
	for _, p := range n.roster {
		p.inbox.Persisted()
		n.schedule(p)
	}
	n.reportResults()
}

func (w *snapshotWriter) node() {
	n := w.n
	w.uint(n.partition.Schema)
	w.bytes(n.partition.Fingerprint)
	w.peer(n.self.id)
	w.uint(n.config.Incarnation, n.number, n.tags)
	w.int(len(n.past))
	for _, p := range n.past {
		w.uint(p.incarnation, p.number)
	}
	w.bool(n.phase >= phaseRunning)
	for _, s := range n.sources {
		state, err := s.State.MarshalBinary()
		if err != nil {
			panic("BUG: " + err.Error())
		}
		w.bytes(state)
	}
	w.int(len(n.partition.Components))
	for i, c := range n.partition.Components {
		w.object("component", i, c)
	}
}

// histories writes the finished executions, by the peers that had begun them.
func (w *snapshotWriter) histories() {
	d := &w.n.histories
	w.int(d.kept)
	list := func(by wire.PeerID, all *container.Fifo[*finishedBy]) {
		for i := range all.Len() {
			v := *all.At(i)
			w.peer(by)
			w.peer(v.of.key.origin)
			w.uint(v.of.key.incarnation, uint64(v.of.key.module), v.base)
			w.uint(v.bits[:]...)
		}
	}
	list(wire.PeerID{}, &d.own)
	for _, p := range w.n.roster {
		list(p.id, &p.finished)
	}
}

func (w *snapshotWriter) peers() {
	w.int(len(w.n.roster))
	for _, p := range w.n.roster {
		w.peer(p.id)
		w.string(p.Class)
		w.int(p.Rank)
		w.bool(p.blocked)
		w.uint(cmp.Or(p.incarnation, p.before))
		w.int(len(p.Addresses))
		for _, a := range p.Addresses {
			w.string(string(a))
		}
	}
}

// outboxes writes the unacknowledged envelopes, in the order of the roster. A payload for many peers is written
// once.
func (w *snapshotWriter) outboxes() {
	var order []*outbox.Payload
	w.n.eachOutFill(func(f *outbox.Fill) {
		if _, ok := w.payloads[f.Payload]; !ok && f.Payload != nil {
			w.payloads[f.Payload] = len(order)
			order = append(order, f.Payload)
		}
	})
	w.int(len(order))
	for _, p := range order {
		if blob := p.Blob(); blob != nil && blob.Bytes() == nil {
			w.b = w.n.spool.AppendBlob(w.b, blob)
		} else {
			w.b = w.n.spool.Append(w.b, p.Data(), blob)
		}
	}
	for _, p := range w.n.roster {
		o := &p.outbox
		w.int(o.Len())
		for i := range o.Len() {
			w.envelope(o.At(i))
		}
	}
}

func (w *snapshotWriter) envelope(e *outbox.Envelope) {
	w.exec(e.Exec)
	w.uint(w.left(e.Until))
	w.int(len(e.Fills))
	for i := range e.Fills {
		f := &e.Fills[i]
		w.int(f.Edge)
		switch {
		case f.Lost != "":
			w.int(1 + len(w.payloads))
			w.string(f.Lost)
			continue
		case f.Payload == nil:
			w.int(0)
		default:
			w.int(1 + w.payloads[f.Payload])
		}
		w.int(len(f.Dims()))
		w.uint(f.Dims()...)
	}
}

// eachOutFill calls do with all values in outboxes.
func (n *Node) eachOutFill(do func(f *outbox.Fill)) {
	for _, p := range n.roster {
		for i := range p.outbox.Len() {
			e := p.outbox.At(i)
			for j := range e.Fills {
				do(&e.Fills[j])
			}
		}
	}
}

func (w *snapshotWriter) liveFrames() {
	count := 0
	for f := w.n.first; f != nil; f = f.next {
		count++
	}
	w.int(count)
	for f := w.n.first; f != nil; f = f.next {
		w.frame(f)
	}
}

func (w *snapshotWriter) frame(f *Frame) {
	w.frames[f] = len(w.frames)
	w.int(f.module.index)
	w.exec(f.exec)
	w.peer(f.From())
	// Invariant: fired equals done, because the frontier is empty.
	for _, s := range []*container.Bitset{&f.ready, &f.failed, &f.done} {
		s.Words(func(x *uint64) { w.uint(*x) })
	}
	w.uint(uint64(w.n.now-f.since), w.left(f.until))
	w.bool(f.broken)
	w.bool(f.ended) // of a child frame: it has contributed
	for i := range f.senders {
		w.peer(f.Sender(i))
	}
	w.object("frame of "+f.module.Name, w.frames[f], f.body)
	for i := range f.gathers {
		w.gather(&f.gathers[i])
	}
}

func (w *snapshotWriter) gather(g *gather) {
	w.bool(g.Armed)
	w.bool(g.Adapts)
	w.bool(g.Reached)
	w.uint(uint64(max(g.ReachedAt-g.Since, 0)))
	w.uint(uint64(g.Min), uint64(g.Full), uint64(g.Count()), uint64(w.n.now-g.Since))
	w.int(len(g.Asked()))
	for _, i := range g.Asked() {
		w.peer(w.n.byIndex[i].id)
	}
	w.int(len(g.children))
	for _, c := range g.children {
		w.frame(c)
	}
}

// timers writes the timers of frames and modules, in the order in which they are due.
func (w *snapshotWriter) timers() {
	for _, h := range []*timerHeap{&w.n.timers.ticks, &w.n.timers.deadlines} {
		all := h.Clone()
		all.Keep(func(t *timer) bool { return !t.stale() && t.peer == nil })
		w.int(all.Len())
		for all.Len() > 0 {
			at, t := all.Pop()
			w.uint(uint64(max(at-w.n.now, 0)), uint64(t.kind), uint64(t.cut))
			if t.frame != nil {
				w.int(1 + w.frames[t.frame])
			} else {
				w.int(0)
			}
		}
	}
}

// waiting writes the commands that have not been started, in order.
func (w *snapshotWriter) waiting() {
	for i := range w.n.slots {
		q := &w.n.slots[i].queue
		live := 0
		for j := range q.Len() {
			if !q.At(j).frame.ended {
				live++
			}
		}
		w.int(live)
		for j := range q.Len() {
			if c := q.At(j); !c.frame.ended {
				w.int(w.frames[c.frame])
				w.int(c.cut)
			}
		}
	}
}

// left returns the remaining time plus one, or 0 for no deadline.
func (w *snapshotWriter) left(until int64) uint64 {
	if until == 0 {
		return 0
	}
	return uint64(max(until-w.n.now, 0)) + 1
}

// stores writes the values that the engine keeps for the program, and the frames that wait for them.
func (w *snapshotWriter) stores() {
	w.int(len(w.n.partition.Stores))
	for i, s := range w.n.partition.Stores {
		w.object("store", i, s)
		if q, ok := s.(*Queue); ok {
			w.waiters(q.waiting.Len(), q.waiting.At)
		}
	}
}

func (w *snapshotWriter) waiters(n int, at func(i int) *waiter) {
	var live []*waiter
	for i := range n {
		if x := at(i); !x.ended() {
			live = append(live, x)
		}
	}
	w.int(len(live))
	for _, x := range live {
		w.int(w.frames[x.frame])
		w.int(x.cut)
	}
}

func (w *snapshotWriter) awaits() {
	var live []await
	for _, a := range w.n.awaits {
		if !a.ended() {
			live = append(live, a)
		}
	}
	w.waiters(len(live), func(i int) *waiter { return &live[i].waiter })
	for _, a := range live {
		w.string(a.class)
		w.int(a.least)
	}
}
