package collective

import (
	"fmt"
	"slices"
)

// A rank that has restarted without its state, or that begins later than the others, joins them: it asks all
// to admit it, they agree on that at the end of their epoch, and welcome it. It takes part from the first
// call of [Enter] on that none of them has begun.

// joining is the state of a group about ranks that join.
type joining struct {
	enter    int         // the stream of Enter; -1: there is none, and no rank can join
	admitted []admission // by rank
	asked    []uint64    // by rank: the ticket of one that asks to join at the next call of Enter, or 0
	ticket   uint64      // the latest of this rank; each ticket is larger than the previous one
	waits    bool        // this rank has asked to be admitted
	welcomes []welcome   // by rank: the latest for this ticket
}

// welcome is what a rank says about the epoch in which this one is a member.
type welcome struct {
	epoch Epoch
	data  string // members and admissions, as it sent them
}

// admission tells when a rank joined. It is zero for members from the start.
type admission struct {
	ticket uint64
	since  uint64 // the number of the call of Enter from which it takes part
	epoch  Epoch  // the first epoch of which it is a member
}

// Joins reports whether ranks can join.
func (g *Group) Joins() bool { return g.enter >= 0 }

// handleLeftOut handles the decision of the others to continue without this rank.
func (g *Group) handleLeftOut(by int) {
	if !g.mayJoin() {
		g.stop(&RankError{by, ErrLeftOut})
		return
	}
	g.asked = make([]uint64, g.config.Ranks)
	g.waits, g.ticket, g.welcomes = true, max(g.ticket+1, g.config.Life), make([]welcome, g.config.Ranks)
	g.freeze()
	for r := range g.outbox {
		if g.outbox[r] = (queue{}); r != g.config.Self {
			g.queueMessage(r, Message{Type: Join, Call: g.ticket, Epoch: g.epoch})
		}
	}
}

// Restarted reports that a rank has restarted without its state. Messages for its earlier incarnation must not
// reach it any more, but it is told if the others have continued without it.
func (g *Group) Restarted(rank int) {
	g.Down(rank)
	if rank == g.config.Self || rank < 0 || rank >= g.config.Ranks {
		return
	}
	g.outbox[rank], g.asked[rank] = queue{}, 0
	g.early = slices.DeleteFunc(g.early, func(e earlyMessage) bool { return e.from == rank })
	g.held[rank] = backlog{}
	if g.at[rank] < 0 {
		g.queueMessage(rank, Message{Type: LeftOut, Epoch: g.epoch})
	}
}

// mayJoin reports whether this rank can join: it must have no open call, except one of Enter without a
// result.
func (g *Group) mayJoin() bool {
	if g.enter < 0 || g.waits {
		return false
	}
	for i := range g.streams {
		calls := g.streams[i].calls
		if len(calls) > 1 || len(calls) == 1 && (i != g.enter || calls[0].delivered) {
			return false
		}
	}
	return true
}

// admit handles a rank's request to join. If the rank is a member, it has restarted, and the others wait for it: the epoch ends
// at once. Otherwise it ends when this rank calls Enter, between two steps, where few calls are open that would be repeated.
func (g *Group) admit(from int, m *Message) {
	switch {
	case g.enter < 0:
		g.reply(from, Message{Type: LeftOut, Epoch: g.epoch})
	case g.waits || m.Call <= g.admitted[from].ticket: // it was admitted already
	case g.at[from] < 0 && !g.frozen:
		g.asked[from] = m.Call
	default:
		joins := make([]uint64, g.config.Ranks)
		joins[from] = m.Call
		g.change(&report{joins: joins})
	}
}

// admitAsked handles the requests of ranks to join, where a call of Enter begins.
func (g *Group) admitAsked() {
	if g.isAsked() {
		joins := g.asked
		g.asked = make([]uint64, g.config.Ranks)
		g.change(&report{joins: joins})
	}
}

// isAsked reports whether a rank asks to join that is not admitted yet.
func (g *Group) isAsked() bool {
	for r, ticket := range g.asked {
		if ticket > g.admitted[r].ticket {
			return true
		}
	}
	return false
}

// entry returns the number of the first call of Enter that no member has begun. All reports contain it.
func (d *decision) entry() (number uint64) {
	for _, r := range d.reports {
		if r != nil {
			number = max(number, r.entered)
		}
	}
	return number
}

// enlarged returns the remaining members and those that join.
func (d *decision) enlarged(live []int) []int {
	for r, ticket := range d.joins {
		if ticket > 0 {
			live = append(live, r)
		}
	}
	slices.Sort(live)
	return live
}

// welcome tells the joining ranks the epoch in which they are members, and the number of members of the last
// one.
func (g *Group) welcome(d *decision, of int) {
	for r, ticket := range d.joins {
		if ticket > 0 {
			g.admitted[r] = admission{ticket, d.entry(), g.epoch}
		}
	}
	w := writer{appendRanks(nil, g.memberSet())}
	w.uint(uint64(of))
	w.bool(g.static)
	w.links(g.reported)
	w.admitted(g.admitted)
	for r, ticket := range d.joins {
		if ticket > 0 {
			g.queueMessage(r, Message{Type: Welcome, Call: ticket, Epoch: g.epoch, Data: w.b})
		}
	}
}

func (g *Group) memberSet() []bool {
	set := make([]bool, g.config.Ranks)
	for _, r := range g.members {
		set[r] = true
	}
	return set
}

// join handles a welcome. The rank is a member again when more than half of the members of the last epoch have
// sent the same one: no other majority can have decided otherwise, and a rank that lies chooses no members. Fewer than two members decide nothing, so that a rank alone
// is no majority, whatever it claims.
func (g *Group) join(from int, m *Message) error {
	if m.Call != g.ticket {
		return nil // this rank has asked again since
	}
	r := snapshot{reader: reader{b: m.Data}}
	members := r.members(g.config.Ranks)
	of := r.uint()
	static, links := r.bool(), r.links()
	admitted := r.admitted(g.config.Ranks)
	if r.err != nil || len(r.b) > 0 || of < 2 || !slices.Contains(members, g.config.Self) || !slices.Contains(members, from) {
		return fmt.Errorf("%w: a welcome of %d bytes that is none", ErrMessage, len(m.Data))
	}
	own := welcome{m.Epoch, string(m.Data)}
	g.welcomes[from] = own
	same := 0
	for _, w := range g.welcomes {
		if w == own {
			same++
		}
	}
	if 2*uint64(same) > of {
		g.takePosition(m.Epoch, members, admitted, static, links)
	}
	return nil
}

// takePosition begins the epoch in which the rank is a member again.
func (g *Group) takePosition(e Epoch, members []int, admitted []admission, static bool, links Links) {
	g.waits, g.admitted = false, admitted
	g.agreement = newAgreement(g.config.Ranks)
	g.static, g.reported = static, links
	g.enterEpoch(members)
	g.epoch = e
	for i := range g.streams {
		g.streams[i].first, g.streams[i].recoveries = unknown, nil
	}
	first := admitted[g.config.Self].since
	g.streams[g.enter].first = first
	g.streams[g.enter].renumber(first)
	for _, c := range g.streams[g.enter].calls {
		c.state = queued
	}
	g.startNext(g.enter)
	g.receiveEarly()
}

// unknown is the number of a stream's first call in which a rank takes part, while a joining rank has not
// received the state.
const unknown = 1<<64 - 1

// renumber numbers the open calls of a stream, or the next one, from first on.
func (s *stream) renumber(first uint64) {
	s.failing = first
	for _, c := range s.calls {
		c.number, c.turn = first, first
		first++
	}
	s.next = first
}

func (w *writer) admitted(list []admission) {
	for _, a := range list {
		w.uint(a.ticket, a.since)
		w.epoch(a.epoch)
	}
}

func (r *snapshot) admitted(n int) []admission {
	list := make([]admission, n)
	for i := range list {
		list[i] = admission{r.uint(), r.uint(), r.epoch()}
	}
	return list
}
