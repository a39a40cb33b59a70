package runtime

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/internal/container"
)

// communicators writes the formed communicators, and the frames that wait for their results.
func (w *snapshotWriter) communicators() {
	for i, c := range w.n.communicators {
		w.int(len(c.early))
		for k := range c.early {
			m := &c.early[k].message
			words := m.Words()
			w.peer(c.early[k].from.id)
			w.int(m.Stream)
			w.uint(words[:]...)
			w.bytes(m.Data)
		}
		w.bool(c.group != nil)
		if c.group == nil {
			continue
		}
		w.int(len(c.peers))
		for _, p := range c.peers {
			w.peer(p.id)
		}
		w.object("communicator", i, c.group)
		for s := range c.waiting {
			w.callers(&c.waiting[s])
		}
	}
}

// callers writes the cut points that wait for the results of a stream. Calls of frames that have ended have no
// waiter.
func (w *snapshotWriter) callers(q *container.Fifo[callWaiter]) {
	w.int(q.Len())
	for i := range q.Len() {
		x := q.At(i)
		live := x.frame != nil && !x.ended()
		w.bool(live)
		if !live {
			continue
		}
		w.int(w.frames[x.frame])
		w.int(x.cut)
		w.uint(x.number, uint64(w.n.now-x.since))
		w.bytes(x.own)
		w.int(len(x.shape))
		for _, d := range x.shape {
			w.int(d)
		}
	}
}

// communicators is the inverse of the writer's communicators.
func (r *snapshotReader) communicators() {
	for i, c := range r.n.communicators {
		for range r.count() {
			p := r.peer()
			m := collective.Message{Stream: r.below("stream", len(c.edges))}
			words := make([]uint64, collective.Words)
			for i := range words {
				words[i] = r.uint()
			}
			if err := m.SetWords(words); err != nil {
				r.fail("%v", err)
			}
			m.Data = append([]byte(nil), r.bytes()...)
			if r.err != nil || p == nil {
				r.fail("a chunk without a sender")
				return
			}
			c.early = append(c.early, earlyFill{p, m})
		}
		if !r.bool() || r.err != nil {
			continue
		}
		self := -1
		for k := range r.count() {
			p := r.peer()
			if p == nil {
				r.fail("communicator %d has a rank without a peer", i)
				return
			}
			if p == r.n.self {
				self = k
			}
			c.peers = append(c.peers, p)
		}
		config := r.n.groupConfig(c, len(c.peers))
		config.Self = self
		g, err := collective.New(config)
		if err != nil {
			r.fail("%v", err)
			return
		}
		r.object(g, "communicator %d", i)
		c.group, r.n.reexamine = g, true // its messages are sent with the next Poll
		for s := range c.waiting {
			r.callers(&c.waiting[s])
		}
	}
}

func (r *snapshotReader) callers(q *container.Fifo[callWaiter]) {
	for range r.count() {
		var x callWaiter
		if r.bool() {
			k, cut := r.below("frame", len(r.frames)), r.below("cut point", maxCuts)
			x.number, x.since = r.uint(), r.n.now-r.age()
			if own := r.bytes(); len(own) > 0 {
				x.own = slices.Clone(own)
			}
			for range r.count() {
				x.shape = append(x.shape, r.below("size", 1<<31-1))
			}
			if r.err != nil {
				return
			}
			f := r.frames[k]
			if cut >= len(f.module.Cuts) || f.module.Cuts[cut].Kind != CollectiveCut {
				r.fail("cut point %d of %s waits for no collective", cut, f.module.Name)
				return
			}
			x.waiter = waiter{f.ref(), cut}
		}
		q.Push(x)
	}
}
