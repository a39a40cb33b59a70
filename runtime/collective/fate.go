package collective

import "slices"

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
		case c.number < least && c.state == holding: // whoever has given it out has known that
			g.confirmed(c)
		case c.number >= given: // nobody has given it out
			g.start(c)
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
	reason := g.streams[stream].failureOf(f.call)
	if reason == nil {
		reason = ErrForgotten
	}
	for _, r := range g.members {
		if f.lacks[r] {
			g.tell(r, Message{Stream: stream, Type: Failed, Call: f.call, Epoch: g.epoch, Step: reasonOf(reason)})
		}
	}
}
