package runtime

import (
	"cmp"
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/internal/snapshot"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// snapshotWriter writes a snapshot. Frames and payloads are numbered in the
// order in which they are written.
type snapshotWriter struct {
	snapshot.Writer
	n        *Node
	frames   map[*Frame]int
	payloads map[*outbox.Payload]int
}

func (w *snapshotWriter) node() {
	n := w.n
	w.Uint(n.partition.Schema)
	w.Bytes(n.partition.Fingerprint)
	w.Peer(n.self.id)
	w.Uint(n.config.Incarnation, n.begun.Latest(), n.tags)
	past := n.begun.Past()
	w.Int(len(past))
	for _, p := range past {
		w.Uint(p.Incarnation, p.Number)
	}
	w.Bool(n.phase >= phaseRunning)
	for _, s := range n.sources {
		state, err := s.State.MarshalBinary()
		if err != nil {
			panic("BUG: " + err.Error())
		}
		w.Bytes(state)
	}
	w.Int(len(n.partition.Components))
	for i, c := range n.partition.Components {
		w.Object("component", i, c)
	}
}

// histories writes the finished executions, by the peers that had begun them.
func (w *snapshotWriter) histories() {
	d := &w.n.histories
	w.Int(d.kept)
	list := func(by wire.PeerID, all *container.Fifo[*finishedBy]) {
		for i := range all.Len() {
			v := *all.At(i)
			w.Peer(by)
			w.Peer(v.of.key.origin)
			w.Uint(v.of.key.incarnation, uint64(v.of.key.module), v.base)
			w.Uint(v.bits[:]...)
		}
	}
	list(wire.PeerID{}, &d.own)
	for _, p := range w.n.roster {
		list(p.id, &p.finished)
	}
}

func (w *snapshotWriter) peers() {
	w.Int(len(w.n.roster))
	for _, p := range w.n.roster {
		w.Peer(p.id)
		w.String(p.Class)
		w.Int(p.Rank)
		w.Bool(p.blocked)
		w.Uint(cmp.Or(p.incarnation, p.restored))
		var at []wire.Address // of this peer itself: none, as it may be at other places after a restart
		if p != w.n.self {
			at = w.n.Address(p.id)
			at = at[:min(len(at), w.n.limits.Wire.Addresses)]
		}
		w.Int(len(at))
		for _, a := range at {
			w.String(string(a))
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
	w.Int(len(order))
	for _, p := range order {
		w.Payload(p.Data(), p.Blob())
	}
	for _, p := range w.n.roster {
		o := &p.outbox
		w.Int(o.Len())
		for i := range o.Len() {
			w.envelope(o.At(i))
		}
	}
}

func (w *snapshotWriter) envelope(e *outbox.Envelope) {
	w.Exec(e.Exec)
	w.Uint(w.left(e.Until))
	w.Int(len(e.Fills))
	for i := range e.Fills {
		f := &e.Fills[i]
		w.Int(f.Edge)
		switch {
		case f.Lost != "":
			w.Int(1 + len(w.payloads))
			w.String(f.Lost)
			continue
		case f.Payload == nil:
			w.Int(0)
		default:
			w.Int(1 + w.payloads[f.Payload])
		}
		w.Int(len(f.Dims()))
		w.Uint(f.Dims()...)
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
	w.Int(count)
	for f := w.n.first; f != nil; f = f.next {
		w.frame(f)
	}
}

func (w *snapshotWriter) frame(f *Frame) {
	w.frames[f] = len(w.frames)
	w.Int(f.module.index)
	w.Exec(f.exec)
	w.Peer(f.From())
	// Invariant: fired equals done, because the frontier is empty.
	for _, s := range []*container.Bitset{&f.ready, &f.failed, &f.done} {
		s.Words(func(x *uint64) { w.Uint(*x) })
	}
	w.Uint(uint64(w.n.now-f.since), w.left(f.until))
	w.Bool(f.broken)
	w.Bool(f.ended) // of a child frame: it has contributed
	for i := range f.senders {
		w.Peer(f.Sender(i))
	}
	w.Object("frame of "+f.module.Name, w.frames[f], f.body)
	for i := range f.gathers {
		w.gather(&f.gathers[i])
	}
	w.losses(f)
}

// losses writes the cut points that some peers will not fill, and which peers were asked. The latter are left out if no
// peer has told a loss: then nothing depends on them.
func (w *snapshotWriter) losses(f *Frame) {
	w.Int(len(f.losses))
	for _, l := range f.losses {
		w.Int(l.cut)
		w.Peer(l.from.id)
	}
	if len(f.losses) == 0 {
		return
	}
	var asked []*peer
	for _, p := range w.n.byIndex {
		if f.restored || f.hasSentTo(p) {
			asked = append(asked, p)
		}
	}
	w.Int(len(asked))
	for _, p := range asked {
		w.Peer(p.id)
	}
}

func (w *snapshotWriter) gather(g *gather) {
	w.Bool(g.Armed)
	w.Bool(g.Adapts)
	w.Bool(g.Reached)
	w.Uint(uint64(max(g.ReachedAt-g.Since, 0)))
	w.Uint(uint64(g.Min), uint64(g.Full), uint64(g.Count()), uint64(w.n.now-g.Since))
	w.Int(len(g.Asked()))
	for _, i := range g.Asked() {
		w.Peer(w.n.byIndex[i].id)
	}
	w.Int(len(g.children))
	for _, c := range g.children {
		w.frame(c)
	}
}

// timers writes the timers of frames and modules, in the order in which they are due.
func (w *snapshotWriter) timers() {
	for _, h := range []*timerHeap{&w.n.timers.ticks, &w.n.timers.deadlines} {
		all := h.Clone()
		all.Keep(func(t *timer) bool { return !t.stale() && t.peer == nil })
		w.Int(all.Len())
		for all.Len() > 0 {
			at, t := all.Pop()
			w.Uint(uint64(max(at-w.n.now, 0)), uint64(t.kind), uint64(t.cut))
			if t.frame != nil {
				w.Int(1 + w.frames[t.frame])
			} else {
				w.Int(0)
			}
		}
	}
}

// waiting writes the commands that have not been started, in order.
func (w *snapshotWriter) waiting() {
	for i := range w.n.commands.slots {
		q := &w.n.commands.slots[i].queue
		live := 0
		for j := range q.Len() {
			if !q.At(j).frame.ended {
				live++
			}
		}
		w.Int(live)
		for j := range q.Len() {
			if c := q.At(j); !c.frame.ended {
				w.Int(w.frames[c.frame])
				w.Int(c.cut)
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
	w.Int(len(w.n.partition.Stores))
	for i, s := range w.n.partition.Stores {
		w.Object("store", i, s)
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
	w.Int(len(live))
	for _, x := range live {
		w.Int(w.frames[x.frame])
		w.Int(x.cut)
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
		w.String(a.class)
		w.Int(a.least)
	}
}

// results writes the results that the host has not taken, in order.
func (w *snapshotWriter) results() {
	list := w.n.reports.untaken()
	w.Int(len(list))
	for _, e := range list {
		w.result(e)
	}
}

func (w *snapshotWriter) result(e *Event) {
	w.Uint(uint64(e.Kind), uint64(w.n.now-e.At), uint64(w.n.now-e.Since))
	w.String(e.Module)
	w.String(e.Name)
	w.Exec(e.Exec)
	w.Peer(e.Peer)
	if w.Bool(e.Err != nil); e.Err != nil {
		w.String(e.Err.Error())
	}
	if w.Bool(e.Value != nil); e.Value != nil {
		t, ok := e.Value.(*tensor.Tensor)
		if !ok {
			panic(fmt.Sprintf("BUG: a module emits %T, want a tensor", e.Value))
		}
		w.Tensor(t)
	}
}
