package collective

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// AppendBinary appends all the state that the group needs to continue after a restart. All results must have
// been taken. The host delivers pulled chunks; queued messages are sent by the restored group.
func (g *Group) AppendBinary(b []byte) ([]byte, error) {
	g.completeSend()
	if len(g.done) > 0 {
		return b, fmt.Errorf("collective: %d results have not been taken", len(g.done))
	}
	if err := g.completeValues(); err != nil {
		return b, fmt.Errorf("collective: a value of %v: %w", Enter, err)
	}
	w := writer{b}
	w.uint(uint64(g.config.Ranks), uint64(g.config.Self), uint64(len(g.streams)))
	w.epoch(g.epoch)
	w.ranks(g.members, g.config.Ranks)
	w.err(g.err)
	w.agreement(g)
	w.admitted(g.admitted)
	w.uint(g.ticket)
	if w.bool(g.waits); g.waits {
		for _, x := range g.welcomes {
			w.epoch(x.epoch)
		}
	}
	for i := range g.streams {
		w.stream(&g.streams[i])
	}
	w.uint(uint64(len(g.early)))
	for i := range g.early {
		w.uint(uint64(g.early[i].from))
		w.message(&g.early[i].Message)
	}
	for to := range g.outbox {
		var told []*Message
		for _, x := range g.outbox[to].list {
			if x.message != nil {
				told = append(told, x.message)
			}
		}
		w.uint(uint64(len(told)))
		for _, m := range told {
			w.message(m)
		}
	}
	if g.waits { // at the end, as earlier versions did not write it
		for _, x := range g.welcomes {
			w.bytes([]byte(x.data))
		}
	}
	for _, h := range g.known() { // likewise
		w.bytes(h.signature)
	}
	w.uint(g.asked...) // likewise
	for _, l := range g.kept() {
		w.links(*l)
	}
	return w.b, nil
}

// kept returns all that the group knows about links of others.
func (g *Group) kept() []*Links {
	list := []*Links{&g.reported}
	for _, h := range g.known() {
		list = append(list, &h.links)
	}
	for i := range g.streams {
		s := &g.streams[i]
		for k := range s.agreed {
			list = append(list, &s.agreed[k].links)
		}
		for _, c := range s.calls {
			list = append(list, &c.links)
		}
	}
	return list
}

// writer writes a snapshot.
type writer struct{ b []byte }

func (w *writer) uint(list ...uint64) {
	for _, x := range list {
		w.b = binary.AppendUvarint(w.b, x)
	}
}

func (w *writer) bool(list ...bool) { w.b = appendRanks(w.b, list) }

func (w *writer) bytes(b []byte) {
	w.uint(uint64(len(b)))
	w.b = append(w.b, b...)
}

func (w *writer) floats(list []float32) {
	w.uint(uint64(len(list)))
	for _, x := range list {
		w.uint(uint64(math.Float32bits(x)))
	}
}

func (w *writer) epoch(e Epoch) { w.uint(uint64(e.Number), uint64(e.View)) }

func (w *writer) links(l Links) { w.b = l.append(w.b) }

// linksBefore writes links as earlier versions read them: all are written again at the end.
func (w *writer) linksBefore(l Links) { w.uint(uint64(l.Latency), uint64(l.Bandwidth)) }

func (w *writer) ranks(list []int, of int) {
	set := make([]bool, of)
	for _, r := range list {
		set[r] = true
	}
	w.bool(set...)
}

// sentinels are the errors that are recognized in a restored group.
var sentinels = []error{ErrLost, ErrMinority, ErrLeftOut, ErrRootLost, ErrMismatch, ErrNotFinite, ErrAborted, ErrForgotten, ErrOrder, ErrEpoch, ErrMessage, ErrOverflow}

func (w *writer) err(err error) {
	w.bool(err != nil)
	if err == nil {
		return
	}
	rank := &RankError{-1, nil}
	text := err.Error()
	if errors.As(err, &rank) {
		text = rank.Err.Error()
	}
	w.uint(uint64(rank.Rank+1), uint64(slices.IndexFunc(sentinels, func(s error) bool { return errors.Is(err, s) })+1))
	w.bytes([]byte(text))
}

func (w *writer) agreement(g *Group) {
	w.bool(g.frozen)
	w.bool(g.lost...)
	w.uint(g.joins...)
	w.bool(g.doubts, g.static)
	for _, h := range g.heard {
		w.bool(h != nil)
		if h != nil {
			w.b = h.appendChanges(w.b)
		}
	}
	w.bool(g.last != nil)
	if d := g.last; d != nil {
		w.epoch(d.epoch)
		w.bool(d.lost...)
		w.uint(d.joins...)
		w.bool(d.doubts)
		for _, h := range d.reports {
			w.bool(h != nil)
			if h != nil {
				w.b = h.appendChanges(w.b)
			}
		}
	}
}

func (w *writer) message(m *Message) {
	words := m.Words()
	w.uint(uint64(m.Stream))
	w.uint(words[:]...)
	w.bytes(m.Data)
}

func (w *writer) stream(s *stream) {
	w.uint(s.next, s.first, uint64(len(s.calls)))
	for _, c := range s.calls {
		w.call(c)
	}
	w.uint(uint64(len(s.recoveries)))
	for i := range s.recoveries {
		f := &s.recoveries[i]
		w.uint(f.call, uint64(f.from), uint64(f.ranks))
		w.bool(f.lacks...)
	}
	w.uint(uint64(len(s.fails)))
	for _, f := range s.fails {
		w.uint(f.call)
		w.err(f.err)
	}
	for i := range s.agreed {
		a := &s.agreed[i]
		w.uint(a.call, uint64(a.ranks))
		w.epoch(a.epoch)
		w.linksBefore(a.links)
	}
	if s.spec.Feedback {
		w.floats(s.lost)
		w.floats(s.sumLost)
	}
}

// out writes the result of a call, with partial sums in their places.
func (w *writer) out(c *call) {
	w.bytes(c.out)
	out := w.b[len(w.b)-len(c.out):]
	for i := range c.chunks {
		if ch := &c.chunks[i]; ch.partial.data != nil {
			copy(out[ch.lo*c.size():], ch.partial.data)
		}
	}
}

func (w *writer) call(c *call) {
	w.uint(c.number, c.turn, uint64(c.state), uint64(c.ranks), uint64(c.rows), uint64(c.row))
	w.bool(c.delivered, c.aborted != nil, c.aborted == ErrNotFinite)
	if c.spec.Codec != Exact {
		w.uint(uint64(c.shape[0]), uint64(c.shape[1]))
	}
	w.epoch(c.epoch)
	w.bytes(c.in)
	w.out(c)
	if c.state != working && c.state != holding {
		return
	}
	w.uint(uint64(len(c.chunks)))
	for i := range c.chunks {
		ch := &c.chunks[i]
		w.uint(uint64(ch.pc))
		w.bool(ch.touched || ch.partial.data != nil, ch.wide != nil)
		if ch.wide != nil {
			w.floats(ch.wide)
		}
		w.uint(uint64(len(ch.sums)))
		for _, s := range ch.sums {
			w.bytes(s.data)
		}
	}
	w.linksBefore(c.links)
	w.bool(c.ready...)
	w.uint(uint64(len(c.pending)))
	places := make([]place, 0, len(c.pending))
	for at := range c.pending {
		places = append(places, at)
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(a.chunk-b.chunk, a.step-b.step) })
	for _, at := range places {
		w.uint(uint64(at.chunk), uint64(at.step))
		w.bytes(c.pending[at].data)
	}
}
