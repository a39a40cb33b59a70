package runtime

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/internal/container"
)

// communicators writes the formed communicators, and the frames that wait for their results.
func (w *snapshotWriter) communicators() {
	for i, c := range w.n.communicators {
		w.Int(len(c.early))
		for k := range c.early {
			m := &c.early[k].message
			words := m.Words()
			w.Peer(c.early[k].from.id)
			w.Int(m.Stream)
			w.Uint(words[:]...)
			w.Bytes(m.Data)
		}
		w.Bool(c.group != nil)
		if c.group == nil {
			continue
		}
		w.Int(len(c.peers))
		for _, p := range c.peers {
			w.Peer(p.id)
		}
		w.Object("communicator", i, c.group)
		for s := range c.waiting {
			w.callers(&c.waiting[s])
		}
	}
}

// callers writes the cut points that wait for the results of a stream. Calls of frames that have ended have no
// waiter.
func (w *snapshotWriter) callers(q *container.Fifo[callWaiter]) {
	w.Int(q.Len())
	for i := range q.Len() {
		x := q.At(i)
		live := x.frame != nil && !x.ended()
		w.Bool(live)
		if !live {
			continue
		}
		w.Int(w.frames[x.frame])
		w.Int(x.cut)
		w.Uint(x.number, uint64(w.n.now-x.since))
		w.Bytes(x.own)
		w.Int(len(x.shape))
		for _, d := range x.shape {
			w.Int(d)
		}
	}
}

// communicators is the inverse of the writer's communicators.
func (r *snapshotReader) communicators() {
	for i, c := range r.n.communicators {
		for k := r.Count(); k > 0 && r.Err() == nil; k-- {
			r.early(c)
		}
		if r.Bool() && r.Err() == nil {
			r.group(i, c)
		}
		if r.Err() != nil {
			return
		}
	}
}

// early reads a message for a communicator that was not formed yet.
func (r *snapshotReader) early(c *communicator) {
	p := r.peer()
	m := collective.Message{Stream: r.Below("stream", len(c.edges))}
	words := make([]uint64, collective.Words)
	for i := range words {
		words[i] = r.Uint()
	}
	if err := m.SetWords(words); err != nil {
		r.Fail("%v", err)
	}
	m.Data = append([]byte(nil), r.Bytes()...)
	if r.Err() != nil || p == nil {
		r.Fail("a chunk without a sender")
		return
	}
	c.early = append(c.early, earlyFill{p, m})
}

// group reads what communicator i was formed of, and who waits for its results.
func (r *snapshotReader) group(i int, c *communicator) {
	self := -1
	for k := range r.Count() {
		p := r.peer()
		if p == nil {
			r.Fail("communicator %d has a rank without a peer", i)
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
		r.Fail("%v", err)
		return
	}
	r.Object(g, "communicator %d", i)
	c.group, r.n.reexamine = g, true // its messages are sent with the next Poll
	for s := range c.waiting {
		r.callers(&c.waiting[s])
	}
}

func (r *snapshotReader) callers(q *container.Fifo[callWaiter]) {
	for range r.Count() {
		var x callWaiter
		if r.Bool() {
			k, cut := r.Below("frame", len(r.frames)), r.Below("cut point", maxCuts)
			x.number, x.since = r.Uint(), r.n.now-r.Age()
			if own := r.Bytes(); len(own) > 0 {
				x.own = slices.Clone(own)
			}
			for range r.Count() {
				x.shape = append(x.shape, r.Below("size", 1<<31-1))
			}
			if r.Err() != nil {
				return
			}
			f := r.frames[k]
			if cut >= len(f.module.Cuts) || f.module.Cuts[cut].Kind != CollectiveCut {
				r.Fail("cut point %d of %s waits for no collective", cut, f.module.Name)
				return
			}
			x.waiter = waiter{f.ref(), cut}
		}
		q.Push(x)
	}
}
