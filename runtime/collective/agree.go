package collective

import (
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
