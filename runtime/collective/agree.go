package collective

import (
	"fmt"
	"slices"
)

// agreement is the state of a rank while the members of an epoch agree on the remaining ones.
type agreement struct {
	frozen  bool      // the epoch ends
	lost    []bool    // by rank: known to be lost
	joins   []uint64  // by rank: the ticket of one that joins, 0 of others
	entered uint64    // the number of calls of Enter that any rank is known to have begun when the epoch ended there
	doubts  bool      // ranks have chosen different algorithms in the epoch: see links.go
	static  bool      // the present epoch began because of that: algorithms do not depend on links
	heard   []*report // by rank: the last report of each
	last    *decision // by which the present epoch began

	reported Links // what all members had measured when the last epoch ended
}

func newAgreement(ranks int) agreement {
	return agreement{lost: make([]bool, ranks), joins: make([]uint64, ranks), heard: make([]*report, ranks)}
}

// Down reports that a rank is lost.
func (g *Group) Down(rank int) {
	g.completeSend()
	if g.err != nil || rank == g.config.Self || rank < 0 || rank >= g.config.Ranks || g.at[rank] < 0 || g.lost[rank] {
		return
	}
	lost := g.only(rank)
	switch g.config.IfLost {
	case Fail:
		g.sendReport(g.report(lost), g.live(lost)) // not all members may notice the loss
		g.stop(&RankError{rank, ErrLost})
	case Repeat:
		g.change(&report{lost: lost})
	}
}

// only returns the set of one rank.
func (g *Group) only(rank int) []bool {
	set := make([]bool, g.config.Ranks)
	set[rank] = true
	return set
}

// sendReport sends a report to other members.
func (g *Group) sendReport(r *report, members []int) {
	for _, m := range members {
		if m != g.config.Self {
			g.queueMessage(m, Message{Type: Lost, Epoch: g.epoch, Data: r.appendSigned(nil)})
		}
	}
}

// change records the changes of a report: that ranks are lost or join, or that links are doubted. They end the epoch if that
// has not happened yet.
func (g *Group) change(r *report) {
	grown := g.addChanges(r.lost, r.joins) || r.doubts && !g.doubts
	g.doubts = g.doubts || r.doubts
	if !grown && (!g.frozen || r.entered <= g.entered) {
		return
	}
	if !g.frozen {
		g.freeze()
	}
	g.entered = max(g.entered, r.entered)
	live := g.live(g.lost)
	if 2*len(live) <= len(g.members) {
		g.stop(fmt.Errorf("%w: %d of %d", ErrMinority, len(live), len(g.members)))
		return
	}
	mine := g.report(slices.Clone(g.lost))
	g.heard[g.config.Self] = mine
	g.sendReport(mine, live)
	g.tryDecide()
}

// addChanges adds to the known ranks that are lost or join, and reports whether any of them is new.
func (g *Group) addChanges(lost []bool, joins []uint64) (grown bool) {
	for r, l := range lost {
		if l && g.at[r] >= 0 && !g.lost[r] {
			g.lost[r], grown = true, true
		}
	}
	for r, ticket := range joins {
		if ticket > max(g.joins[r], g.admitted[r].ticket) {
			g.joins[r], g.lost[r], grown = ticket, g.at[r] >= 0, true // a member has restarted
		}
	}
	return grown
}

// freeze stops all calls of the epoch. Their messages in flight become invalid.
func (g *Group) freeze() {
	g.frozen = true
	if g.enter >= 0 {
		g.entered = g.streams[g.enter].next
	}
	for i := range g.streams {
		for _, c := range g.streams[i].calls {
			c.gen++
		}
	}
}

// known returns the reports that the group keeps.
func (a *agreement) known() []*report {
	list := slices.Clone(a.heard)
	if a.last != nil {
		list = append(list, a.last.reports...)
	}
	return slices.DeleteFunc(list, func(r *report) bool { return r == nil })
}

// live returns the members that are not lost.
func (g *Group) live(lost []bool) []int {
	return slices.DeleteFunc(slices.Clone(g.members), func(r int) bool { return lost[r] })
}

// handleReport handles the report of another member at the end of the epoch.
func (g *Group) handleReport(from int, m *Message) error {
	r, rest, err := g.readSigned(m.Data)
	if err != nil || len(rest) > 0 || r.lost[from] {
		return fmt.Errorf("%w: a report of %d bytes that is none", ErrMessage, len(m.Data))
	}
	switch {
	case !g.isSigned(from, r):
		return fmt.Errorf("%w: a report without a signature of its sender", ErrMessage)
	case r.lost[g.config.Self]:
		g.handleLeftOut(from)
		return nil
	case r.doubts && g.static:
		return fmt.Errorf("%w: it doubts links on which nothing depends", ErrMessage)
	case g.config.IfLost == Wait && !r.keepsMembers():
		return fmt.Errorf("%w: it goes on without ranks that are waited for", ErrMessage)
	case g.config.IfLost == Fail && r.keepsMembers() && !r.doubts:
		return fmt.Errorf("%w: no rank is lost", ErrMessage)
	case g.config.IfLost == Fail && !r.keepsMembers():
		g.stop(&RankError{slices.Index(r.lost, true), ErrLost})
		return nil
	}
	if h := g.heard[from]; h == nil || r.includes(h) { // otherwise a later report overtook it
		g.heard[from] = r
	}
	g.change(r)
	g.tryDecide()
	return nil
}

// keepsMembers reports whether a report neither contains lost nor joining ranks.
func (r *report) keepsMembers() bool {
	return !slices.Contains(r.lost, true) && !slices.ContainsFunc(r.joins, func(ticket uint64) bool { return ticket > 0 })
}

// includes reports whether a report contains all changes of another one.
func (r *report) includes(other *report) bool {
	if other.doubts && !r.doubts || other.entered > r.entered {
		return false
	}
	for i := range r.lost {
		if other.lost[i] && !r.lost[i] || other.joins[i] > r.joins[i] {
			return false
		}
	}
	return true
}

// matches reports whether a report contains the same changes as this rank's.
func (g *Group) matches(r *report) bool {
	return r != nil && slices.Equal(r.lost, g.lost) && slices.Equal(r.joins, g.joins) && r.doubts == g.doubts && r.entered == g.entered
}

// tryDecide begins the next epoch if all remaining members have reported the same changes.
func (g *Group) tryDecide() {
	if g.err != nil || !g.frozen {
		return
	}
	d := &decision{g.epoch, slices.Clone(g.lost), slices.Clone(g.joins), g.doubts, make([]*report, g.config.Ranks)}
	for _, r := range g.live(g.lost) {
		if !g.matches(g.heard[r]) {
			return
		}
		d.reports[r] = g.heard[r]
	}
	g.decide(d)
}

// sendOutcome tells a member that is behind how its epoch has ended.
func (g *Group) sendOutcome(from int, m *Message) {
	if m.Type == Lost && g.last != nil && m.Epoch == g.last.epoch {
		g.reply(from, Message{Type: Decided, Epoch: m.Epoch, Data: g.last.append(nil)})
	} else if a := &g.admitted[from]; m.Epoch.Number < a.epoch.Number { // it may have restarted since it was admitted
		g.reply(from, Message{Type: LeftOut, Epoch: a.epoch})
	}
}

// handleDecision handles the decision about the end of the epoch.
func (g *Group) handleDecision(m *Message) error {
	d, err := g.readDecision(m.Data)
	if err != nil {
		return err
	}
	if d.lost[g.config.Self] || !g.frozen || g.config.IfLost != Repeat && !d.keepsMembers() || 2*len(g.live(d.lost)) <= len(g.members) {
		return fmt.Errorf("%w: a decision that could not be made", ErrMessage)
	}
	lost, joins := slices.Clone(g.lost), slices.Clone(g.joins)
	g.decide(d)
	for r := range lost {
		lost[r] = lost[r] && !d.lost[r]
	}
	g.change(&report{lost: lost, joins: joins})
	return nil
}

// decide begins the next epoch.
func (g *Group) decide(d *decision) {
	live := g.live(d.lost)
	for r, l := range d.lost {
		if l && d.joins[r] == 0 {
			g.outbox[r] = queue{}
		}
	}
	next := newAgreement(g.config.Ranks)
	next.last, next.static, next.reported = d, d.doubts, d.links()
	g.agreement = next
	of := len(g.members)
	g.enterEpoch(d.enlarged(live))
	g.welcome(d, of)
	g.notifyLost(d)
	for i := range g.streams {
		g.streams[i].recoveries = g.recoveriesOf(i, d)
	}
	for i := range g.streams {
		g.resume(i, d)
	}
	g.receiveEarly()
}

// notifyLost tells lost ranks, which may still run, that the others continue without them. A joining rank may
// have restarted since its request.
func (g *Group) notifyLost(d *decision) {
	for r, l := range d.lost {
		if l {
			g.queueMessage(r, Message{Type: LeftOut, Epoch: g.epoch})
		}
	}
}

// receiveEarly receives messages that arrived before their epoch.
func (g *Group) receiveEarly() {
	g.receiveAgain(func(e *earlyMessage) bool {
		return e.Epoch.Number < g.epoch.Number || e.Epoch.Number == g.epoch.Number && (e.Type == Lost || e.Type == Decided)
	})
}
