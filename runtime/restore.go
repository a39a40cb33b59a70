package runtime

import (
	"errors"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/begun"
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/internal/reason"
	"github.com/bbgen/bbgen/runtime/internal/snapshot"
	"github.com/bbgen/bbgen/runtime/wire"
)

// snapshotReader reads a snapshot. After the first error all results are zero.
type snapshotReader struct {
	snapshot.Reader
	n      *Node
	roster []*peer // in the order of the snapshot
	frames []*Frame

	hasLosses bool // see [snapshotReader.losses]
}

// peer reads the name of a peer; an empty name is nil.
func (r *snapshotReader) peer() *peer {
	id := r.PeerID()
	if id.IsZero() {
		return nil
	}
	p := r.n.peer(id)
	if p == nil {
		r.Fail("peer %v is not in its list", id)
	}
	return p
}

func (r *snapshotReader) node() {
	n := r.n
	if s := r.Uint(); s != n.partition.Schema && r.Err() == nil {
		r.Fail("schema %016x, want %016x", s, n.partition.Schema)
	}
	if f := r.Bytes(); !n.accepts(f) && r.Err() == nil {
		r.Fail("of program %x, this is %x", f, n.partition.Fingerprint)
	}
	if id := r.PeerID(); id != n.self.id && r.Err() == nil {
		r.Fail("of peer %v, this is %v", id, n.self.id)
	}
	latest := begun.Past{Incarnation: r.Uint(), Number: r.Uint()}
	n.config.Incarnation = max(n.config.Incarnation, latest.Incarnation+1)
	n.tags = r.Uint()
	var past []begun.Past
	for range r.Count() {
		past = append(past, begun.Past{Incarnation: r.Uint(), Number: r.Uint()})
	}
	n.begun = begun.Restored(n.self.id, n.config.Incarnation, append(past, latest))
	n.restored = true
	n.phase = phaseBootstrap // its modules are among the frames
	if r.Bool() {
		n.phase = phaseRunning
		n.queueEvent(Event{Kind: Phase, Name: "restored"})
	}
	for _, s := range n.sources {
		state := r.Bytes()
		if r.Err() != nil {
			break
		}
		if err := s.State.UnmarshalBinary(state); err != nil {
			r.Fail("random source: %v", err)
		}
	}
	if k := r.Count(); k != len(n.partition.Components) && r.Err() == nil {
		r.Fail("%d components, want %d", k, len(n.partition.Components))
	}
	for i, c := range n.partition.Components {
		r.Object(c, "component %d", i)
	}
}

// histories reads the finished executions, and the peers that had begun them.
func (r *snapshotReader) histories() {
	n := r.n
	for range r.Count() {
		by := r.peer()
		k := historyKey{r.PeerID(), r.Uint(), r.Below("module", len(n.modules))}
		base := r.Uint()
		if r.Err() != nil {
			return
		}
		h := n.histories.find(k)
		if h == nil {
			h = n.histories.begin(k, n.peer(k.origin))
		}
		h.top = math.MaxUint64 // unknown now
		kept := len(h.finished)
		w := n.histories.window(h, by, n.limits.Origins)
		if len(h.finished) == kept {
			r.Fail("an origin stands twice in it")
			return
		}
		w.base = base
		for i := range w.bits {
			w.bits[i] = r.Uint()
		}
	}
}

func (r *snapshotReader) peers() {
	configured := map[wire.PeerID]bool{}
	for _, p := range r.n.roster {
		configured[p.id] = true
	}
	for range r.Count() {
		c := PeerConfig{ID: r.PeerID(), Class: string(r.Bytes()), Rank: r.Below("rank", 1<<31-1)}
		blocked, incarnation := r.Bool(), r.Uint()
		for range r.Count() {
			a, err := wire.ParseAddress(r.Bytes(), &r.n.limits.Wire)
			if err != nil {
				r.Fail("%v", err)
			}
			c.Addresses = append(c.Addresses, a)
		}
		if r.Err() != nil {
			return
		}
		if !configured[c.ID] && r.n.config.Book.find(c.ID) == nil {
			if err := r.n.Allow(c); err != nil {
				r.Fail("%v", err)
				return
			}
			r.n.peer(c.ID).blocked = blocked
		}
		p := r.n.peer(c.ID)
		p.learn(c.Addresses, &r.n.limits.Wire)
		p.restored = incarnation
		r.roster = append(r.roster, p)
	}
}

func (r *snapshotReader) outboxes() {
	payloads := make([]*outbox.Payload, r.Count())
	for i := range payloads {
		payloads[i] = r.n.outbox.Restored(r.Payload())
	}
	for _, p := range r.roster {
		for range r.Count() {
			e := r.envelope(payloads)
			if r.Err() != nil {
				return
			}
			p.outbox.Put(e)
			r.n.schedule(p)
		}
	}
	for _, p := range payloads {
		r.n.outbox.Release(p)
	}
}

func (r *snapshotReader) envelope(payloads []*outbox.Payload) *outbox.Envelope {
	e := &outbox.Envelope{Exec: r.Exec(), Until: r.left()}
	for range r.Count() {
		edge := r.Below("edge", len(r.n.partition.Edges))
		var p *outbox.Payload
		switch k := r.Below("payload", len(payloads)+2); {
		case k == len(payloads)+1:
			e.AddLost(edge, reason.Line(string(r.Bytes())))
			continue
		case k > 0:
			p = payloads[k-1]
		}
		dims := make([]uint64, r.Count())
		for i := range dims {
			dims[i] = r.Uint()
		}
		e.Add(edge, p, dims)
	}
	return e
}

func (r *snapshotReader) liveFrames() {
	for range r.Count() {
		f := r.frame(nil)
		if r.Err() != nil {
			return
		}
		if r.n.histories.of(&f.exec, f.module.index).frame(f.exec.Number) != nil || f.module.Child {
			r.Fail("frame of %s stands twice in it", f.module.Name)
			return
		}
		r.n.addLive(f)
	}
}

// frame reads a frame, which is a child if it has a parent.
func (r *snapshotReader) frame(parent *Frame) *Frame {
	m := &r.n.modules[r.Below("module", len(r.n.modules))]
	x := r.Exec()
	from := r.peer()
	if r.Err() != nil {
		return nil
	}
	if parent != nil && (!m.Child || from == nil || m.Parent != parent.module.index) {
		r.Fail("frame of %s is no child of %s", m.Name, parent.module.Name)
		return nil
	}
	f := r.n.newFrame(m, &x, from)
	r.frames = append(r.frames, f)
	f.parent = parent
	for _, s := range []*container.Bitset{&f.ready, &f.failed, &f.done} {
		s.Words(func(x *uint64) { *x = r.Uint() })
	}
	f.since, f.until = -r.Age(), r.left()
	for i := range m.blocks {
		if f.done.Has(i) {
			f.fired.Add(i)
			f.left--
		}
	}
	f.broken, f.ended, f.restored = r.Bool(), r.Bool(), true
	r.n.traceFrame(f)
	for i := range f.senders {
		f.senders[i] = r.peer()
	}
	r.Object(f.body, "frame of %s", m.Name)
	for i := range f.gathers {
		r.gather(f, &f.gathers[i])
	}
	r.losses(f)
	return f
}

// losses is the inverse of the writer's losses.
func (r *snapshotReader) losses(f *Frame) {
	if !r.hasLosses {
		return
	}
	count := r.Count()
	for range count {
		cut, p := r.Below("cut point", len(f.module.Cuts)), r.peer()
		if r.Err() != nil || p == nil {
			r.Fail("a loss of %s without a peer", f.module.Name)
			return
		}
		f.losses = append(f.losses, loss{cut, p})
	}
	if count == 0 {
		return
	}
	f.restored = false // it is known who was asked
	for range r.Count() {
		if p := r.peer(); p != nil {
			f.recordSend(p)
		}
	}
}

func (r *snapshotReader) gather(f *Frame, g *gather) {
	const many = 1<<31 - 1
	g.Armed, g.Adapts, g.Reached = r.Bool(), r.Bool(), r.Bool()
	took := r.Age()
	g.Min, g.Full = r.Below("minimum", many), r.Below("quorum", many)
	count := r.Below("contributions", many)
	g.Since = r.n.now - r.Age()
	g.ReachedAt = g.Since + took
	for range r.Count() {
		if p := r.peer(); p != nil {
			g.Ask(p.index)
		}
	}
	for range r.Count() {
		c := r.frame(f)
		if r.Err() != nil {
			return
		}
		if c.module.ParentCut != g.cut {
			r.Fail("frame of %s stands at another gather", c.module.Name)
			return
		}
		c.charge(f.payer(g, c.from))
		g.Begin(c.from.index)
		switch {
		case c.ended && c.broken:
			g.Fail(c.from.index)
		case c.ended:
			g.Contribute(c.from.index)
		}
		g.children = append(g.children, c)
	}
	if got := g.Count(); got != count && r.Err() == nil {
		r.Fail("a gather of %d contributions has %d", count, got)
	}
	// The configuration may have changed the ranks of peers.
	slices.SortFunc(g.children, func(a, b *Frame) int { return a.from.compare(b.from) })
}

func (r *snapshotReader) timers() {
	n := r.n
	for _, h := range []*timerHeap{&n.timers.ticks, &n.timers.deadlines} {
		for range r.Count() {
			at := int64(min(r.Uint(), 1<<62))
			t := timer{kind: timerKind(r.Below("timer", int(cutOverdue)+1)), cut: r.Below("cut point", maxCuts)}
			switch k := r.Below("frame", len(r.frames)+1); {
			case r.Err() != nil:
				return
			case k > 0 && t.kind != openModule:
				t.frameRef = r.frames[k-1].ref()
				if t.cut >= len(t.frame.module.Cuts) {
					r.Fail("a timer of cut point %d of %s", t.cut, t.frame.module.Name)
					return
				}
			case k > 0 || t.kind != openModule || t.cut >= len(n.modules) || n.modules[t.cut].Every <= 0:
				r.Fail("a timer of nothing")
				return
			}
			n.setTimer(h, at, t)
		}
	}
}

func (r *snapshotReader) waiting() {
	for i := range r.n.commands.slots {
		for range r.Count() {
			if len(r.frames) == 0 {
				r.Fail("a command of no frame")
				return
			}
			f := r.frames[r.Below("frame", len(r.frames))]
			cut := r.Below("cut point", len(f.module.Cuts))
			if r.Err() == nil && (f.module.Cuts[cut].Kind != CommandCut || f.module.Cuts[cut].Slot != i) {
				r.Fail("%s of %s is no command of slot %d", f.module.Cuts[cut].Name, f.module.Name, i)
			}
			if r.Err() != nil {
				return
			}
			r.n.countCommands(f, 1)
			r.n.commands.add(f, cut)
		}
	}
}

// left is the inverse of the writer's left; the time is 0.
func (r *snapshotReader) left() int64 {
	if v := r.Uint(); v > 0 {
		return int64(max(min(v-1, 1<<62), 1))
	}
	return 0
}

func (r *snapshotReader) stores() {
	if k := r.Count(); k != len(r.n.partition.Stores) && r.Err() == nil {
		r.Fail("%d stores, want %d", k, len(r.n.partition.Stores))
	}
	for i, s := range r.n.partition.Stores {
		r.Object(s, "store %d", i)
		if r.Err() != nil {
			return
		}
		if q, ok := s.(*Queue); ok {
			for _, x := range r.waiters() {
				q.waiting.Push(x)
			}
		}
	}
}

// waiters reads the frames that wait for EventCuts.
func (r *snapshotReader) waiters() []waiter {
	var out []waiter
	for range r.Count() {
		k := r.Below("frame", len(r.frames))
		cut := r.Below("cut point", maxCuts)
		if r.Err() != nil {
			return nil
		}
		f := r.frames[k]
		if cut >= len(f.module.Cuts) || f.module.Cuts[cut].Kind != EventCut {
			r.Fail("cut point %d of %s waits for no event", cut, f.module.Name)
			return nil
		}
		out = append(out, waiter{f.ref(), cut})
	}
	return out
}

func (r *snapshotReader) awaits() {
	for _, x := range r.waiters() {
		a := await{x, string(r.Bytes()), r.Below("number of peers", 1<<31-1)}
		r.n.awaits = append(r.n.awaits, a)
		r.n.dialClass(a.class)
	}
}

// results reads the results that are not yet reported to the host.
func (r *snapshotReader) results() {
	for range r.Count() {
		e := r.result()
		if r.Err() != nil {
			return
		}
		r.n.reports.events.Push(e)
	}
}

func (r *snapshotReader) result() Event {
	e := Event{Kind: EventKind(r.Below("event", int(numKinds))), At: -r.Age(), Since: -r.Age()}
	e.Module, e.Name = string(r.Bytes()), string(r.Bytes())
	e.Exec, e.Peer = r.Exec(), r.PeerID()
	if r.Bool() {
		e.Err = errors.New(string(r.Bytes()))
	}
	if r.Bool() {
		e.Value = r.Tensor()
	}
	return e
}
