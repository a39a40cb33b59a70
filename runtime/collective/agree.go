package collective

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// agreement is what a rank knows while the members of an epoch find out who is left.
type agreement struct {
	frozen bool      // the epoch ends
	lost   []bool    // by rank: who is lost, as far as is known here
	heard  []*report // by rank: what each has told last
	last   *decision // by which the present epoch began
}

func newAgreement(ranks int) agreement {
	return agreement{lost: make([]bool, ranks), heard: make([]*report, ranks)}
}

// report is what a rank tells of itself at the end of an epoch.
type report struct {
	lost    []bool
	streams []progress
}

// progress is how many calls of a stream a rank has the results of, how many of these
// were given out, and how many ranks are in the last two, as far as they are not
// confirmed.
type progress struct {
	done, delivered uint64
	ranks           [2]uint64
}

// decision is how an epoch ended.
type decision struct {
	epoch   Epoch
	lost    []bool
	reports []*report // by rank; nil of who is lost or was none
}

// fate is what becomes of a call whose result some member has.
type fate struct {
	call  uint64
	from  int    // the lowest rank that has it
	lacks []bool // by rank
	ranks int    // that are in it
}

func (s *stream) fateOf(call uint64) *fate {
	for i := range s.fates {
		if s.fates[i].call == call {
			return &s.fates[i]
		}
	}
	return nil
}

// Down says that a rank is lost.
func (g *Group) Down(rank int) {
	g.settle()
	if g.err != nil || rank == g.config.Self || rank < 0 || rank >= g.config.Ranks || g.at[rank] < 0 || g.lost[rank] {
		return
	}
	lost := make([]bool, g.config.Ranks)
	lost[rank] = true
	switch g.config.IfLost {
	case Fail:
		g.tellLost(&report{lost, g.progress()}, g.live(lost)) // not all may notice
		g.stop(&RankError{rank, ErrLost})
	case Repeat:
		g.suspect(lost)
	}
}

// tellLost tells other members who is lost.
func (g *Group) tellLost(r *report, members []int) {
	for _, m := range members {
		if m != g.config.Self {
			g.tell(m, Message{Type: Lost, Epoch: g.epoch, Data: r.append(nil)})
		}
	}
}

// suspect ends the epoch, or learns that more of its members are lost.
func (g *Group) suspect(lost []bool) {
	grown := false
	for r, l := range lost {
		if l && g.at[r] >= 0 && !g.lost[r] {
			g.lost[r], grown = true, true
		}
	}
	if !grown {
		return
	}
	if !g.frozen {
		g.freeze()
	}
	live := g.live(g.lost)
	if 2*len(live) <= len(g.members) {
		g.stop(fmt.Errorf("%w: %d of %d", ErrMinority, len(live), len(g.members)))
		return
	}
	mine := &report{slices.Clone(g.lost), g.progress()}
	g.heard[g.config.Self] = mine
	g.tellLost(mine, live)
	g.tryDecide()
}

// freeze stops all calls of the epoch: what is in flight means nothing any more.
func (g *Group) freeze() {
	g.frozen = true
	for i := range g.streams {
		for _, c := range g.streams[i].calls {
			c.gen++
		}
	}
}

// live are the members that are not lost.
func (g *Group) live(lost []bool) []int {
	return slices.DeleteFunc(slices.Clone(g.members), func(r int) bool { return lost[r] })
}

// progress is that of this rank.
func (g *Group) progress() []progress {
	all := make([]progress, len(g.streams))
	for i := range g.streams {
		s := &g.streams[i]
		p := progress{done: s.next, delivered: s.next}
		for k := len(s.calls) - 1; k >= 0; k-- {
			c := s.calls[k]
			if c.delivered { // if it works, it helps others
				continue
			}
			p.delivered = c.number
			if c.state != holding {
				p.done = c.number
			}
		}
		for _, c := range s.calls {
			if back := p.done - 1 - c.number; c.number < p.done && back < 2 {
				p.ranks[back] = uint64(c.ranks)
			}
		}
		all[i] = p
	}
	return all
}

// hear takes what another member tells at the end of the epoch.
func (g *Group) hear(from int, m *Message) error {
	r, rest, err := g.readReport(m.Data)
	if err != nil || len(rest) > 0 || r.lost[from] {
		return fmt.Errorf("%w: a report of %d bytes that is none", ErrMessage, len(m.Data))
	}
	switch {
	case r.lost[g.config.Self]:
		g.stop(&RankError{from, ErrLeftOut})
		return nil
	case g.config.IfLost == Wait:
		return fmt.Errorf("%w: it goes on without ranks that are waited for", ErrMessage)
	case g.config.IfLost == Fail && !slices.Contains(r.lost, true):
		return fmt.Errorf("%w: nobody is lost", ErrMessage)
	case g.config.IfLost == Fail:
		g.stop(&RankError{slices.Index(r.lost, true), ErrLost})
		return nil
	}
	if h := g.heard[from]; h == nil || includes(r.lost, h.lost) { // else it was overtaken
		g.heard[from] = r
	}
	g.suspect(r.lost)
	g.tryDecide()
	return nil
}

// includes reports whether a set of ranks has all of another one.
func includes(set, other []bool) bool {
	for r, in := range other {
		if in && !set[r] {
			return false
		}
	}
	return true
}

// tryDecide begins the next epoch if all who are left know of the same who are lost.
func (g *Group) tryDecide() {
	if g.err != nil || !g.frozen {
		return
	}
	d := &decision{g.epoch, slices.Clone(g.lost), make([]*report, g.config.Ranks)}
	for _, r := range g.live(g.lost) {
		h := g.heard[r]
		if h == nil || !slices.Equal(h.lost, g.lost) {
			return
		}
		d.reports[r] = h
	}
	g.decide(d)
}

// remind tells a member that is behind how its epoch has ended.
func (g *Group) remind(from int, m *Message) {
	if m.Type == Lost && g.last != nil && m.Epoch == g.last.epoch {
		g.reply(from, Message{Type: Decided, Epoch: m.Epoch, Data: g.last.append(nil)})
	}
}

// learn is told how the epoch has ended.
func (g *Group) learn(m *Message) error {
	d, err := g.readDecision(m.Data)
	if err != nil {
		return err
	}
	if d.lost[g.config.Self] || !g.frozen || g.config.IfLost != Repeat || 2*len(g.live(d.lost)) <= len(g.members) {
		return fmt.Errorf("%w: a decision that could not be made", ErrMessage)
	}
	more := slices.Clone(g.lost)
	g.decide(d)
	g.suspect(more)
	return nil
}

// decide begins the next epoch.
func (g *Group) decide(d *decision) {
	live := g.live(d.lost)
	for r, l := range d.lost {
		if l {
			g.outbox[r] = queue{}
		}
	}
	next := newAgreement(g.config.Ranks)
	next.last = d
	g.agreement = next
	g.enter(live)
	for i := range g.streams {
		g.streams[i].fates = g.fatesOf(i, d)
	}
	for i := range g.streams {
		g.resume(i, d)
	}
	g.receiveAgain(func(e *earlyMessage) bool {
		return e.Epoch.Number < g.epoch.Number || e.Epoch.Number == g.epoch.Number && (e.Type == Lost || e.Type == Decided)
	})
}

// fatesOf finds the calls of a stream whose results some members have and others lack.
func (g *Group) fatesOf(stream int, d *decision) (fates []fate) {
	if !g.streams[stream].spec.Kind.atOnce() {
		return nil
	}
	least, most := g.spread(d, func(r *report) uint64 { return r.streams[stream].done })
	for k := least; k < most && k-least < maxFails; k++ {
		f := fate{call: k, from: -1, lacks: make([]bool, g.config.Ranks)}
		for _, r := range g.members {
			p := d.reports[r].streams[stream]
			if has := p.done > k; has && f.from < 0 {
				f.from = r
				if back := p.done - 1 - k; back < 2 {
					f.ranks = int(min(p.ranks[back], uint64(g.config.Ranks)))
				}
			} else if !has {
				f.lacks[r] = true
			}
		}
		fates = append(fates, f)
	}
	return fates
}

// spread is the least and the most of a number that members have reported.
func (g *Group) spread(d *decision, of func(r *report) uint64) (least, most uint64) {
	least = of(d.reports[g.members[0]])
	for _, r := range g.members {
		least, most = min(least, of(d.reports[r])), max(most, of(d.reports[r]))
	}
	return least, most
}

// resume goes on with the calls of a stream in the epoch that has begun.
func (g *Group) resume(stream int, d *decision) {
	s := &g.streams[stream]
	for i := range s.fates {
		g.supplyFailure(stream, &s.fates[i])
	}
	least, _ := g.spread(d, func(r *report) uint64 { return r.streams[stream].done })
	_, given := g.spread(d, func(r *report) uint64 { return r.streams[stream].delivered })
	for _, c := range slices.Clone(s.calls) {
		switch {
		case g.err != nil || c.state == over || c.state == queued || c.epoch == g.epoch:
		case s.spec.Kind.atOnce() && c.number < least: // all have it
			g.close(c)
		case s.spec.Kind.atOnce():
			g.start(c)
		case c.number >= given: // nobody has given it out
			g.start(c)
		case c.state == holding: // who has has known that all have it
			g.confirmed(c)
		default:
			g.fail(c, ErrForgotten)
		}
	}
	g.startNext(stream)
}

// supplyFailure tells those who lack the result of a call that has failed here that
// there is none.
func (g *Group) supplyFailure(stream int, f *fate) {
	if c := g.find(stream, f.call); f.from != g.config.Self || c != nil && c.state != over {
		return
	}
	reason := ErrForgotten
	for _, x := range g.streams[stream].fails {
		if x.call == f.call {
			reason = x.err
		}
	}
	for _, r := range g.members {
		if f.lacks[r] {
			g.tell(r, Message{Stream: stream, Type: Failed, Call: f.call, Epoch: g.epoch, Step: reasonOf(reason)})
		}
	}
}

// append writes who is lost, and how far the rank is.
func (r *report) append(b []byte) []byte {
	b = appendRanks(b, r.lost)
	for _, p := range r.streams {
		for _, x := range [...]uint64{p.done, p.delivered, p.ranks[0], p.ranks[1]} {
			b = binary.AppendUvarint(b, x)
		}
	}
	return b
}

func appendRanks(b []byte, set []bool) []byte {
	for _, in := range set {
		if in {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return b
}

// readReport is the inverse of report.append.
func (g *Group) readReport(b []byte) (*report, []byte, error) {
	r := reader{b: b}
	rep := &report{lost: r.ranks(g.config.Ranks), streams: make([]progress, len(g.streams))}
	for i := range rep.streams {
		rep.streams[i] = progress{r.uint(), r.uint(), [2]uint64{r.uint(), r.uint()}}
		if p := rep.streams[i]; p.delivered > p.done {
			r.err = ErrMessage
		}
	}
	return rep, r.b, r.err
}

// append writes who was lost, and what each of those who were left has told.
func (d *decision) append(b []byte) []byte {
	b = appendRanks(b, d.lost)
	for _, r := range d.reports {
		if r != nil {
			b = r.append(b)
		}
	}
	return b
}

// readDecision is the inverse of decision.append, of the present epoch.
func (g *Group) readDecision(b []byte) (*decision, error) {
	r := reader{b: b}
	d := &decision{g.epoch, r.ranks(g.config.Ranks), make([]*report, g.config.Ranks)}
	rest := r.b
	if r.err != nil {
		return nil, r.err
	}
	for _, m := range g.live(d.lost) {
		rep, left, err := g.readReport(rest)
		if err != nil || !slices.Equal(rep.lost, d.lost) {
			return nil, fmt.Errorf("%w: a decision of %d bytes that is none", ErrMessage, len(b))
		}
		d.reports[m], rest = rep, left
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%w: a decision of %d bytes, %d too many", ErrMessage, len(b), len(rest))
	}
	return d, nil
}

// reader reads numbers that may be anything.
type reader struct {
	b   []byte
	err error
}

func (r *reader) uint() uint64 {
	x, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.b, r.err = nil, fmt.Errorf("%w: it ends early", ErrMessage)
		return 0
	}
	r.b = r.b[n:]
	return x
}

func (r *reader) ranks(n int) []bool {
	set := make([]bool, n)
	if len(r.b) < n {
		r.b, r.err = nil, fmt.Errorf("%w: it ends early", ErrMessage)
		return set
	}
	for i := range set {
		set[i] = r.b[i] == 1
	}
	r.b = r.b[n:]
	return set
}
