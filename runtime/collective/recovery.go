package collective

import "slices"

// recovery tells how a call continues in the next epoch whose result some members have.
type recovery struct {
	call  uint64
	from  int    // the lowest rank with the result
	lacks []bool // by rank
	ranks int    // the number of contributions to it
}

func (s *stream) recoveryOf(call uint64) *recovery {
	for i := range s.recoveries {
		if s.recoveries[i].call == call {
			return &s.recoveries[i]
		}
	}
	return nil
}

// recoveriesOf finds the calls of a stream whose results some members have and others lack.
func (g *Group) recoveriesOf(stream int, d *decision) (recoveries []recovery) {
	if !g.streams[stream].spec.Kind.atOnce() {
		return nil
	}
	least, most := d.spread(stream)
	for k := least; k < most && k-least < maxFails; k++ {
		f := recovery{call: k, from: -1, lacks: make([]bool, g.config.Ranks)}
		for r, rep := range d.reports {
			if rep == nil || k < rep.streams[stream].first {
				continue
			}
			p := rep.streams[stream]
			if has := p.done > k; has && f.from < 0 {
				f.from = r
				if back := p.done - 1 - k; back < 2 {
					f.ranks = int(min(p.ranks[back], uint64(g.config.Ranks)))
				}
			} else if !has {
				f.lacks[r] = true
			}
		}
		recoveries = append(recoveries, f)
	}
	return recoveries
}

// spread returns the smallest and the largest number of the calls of a stream whose results members have that
// take part in any.
func (d *decision) spread(stream int) (least, most uint64) {
	least = unknown
	for _, r := range d.reports {
		if r != nil && r.streams[stream].first != unknown {
			least, most = min(least, r.streams[stream].done), max(most, r.streams[stream].done)
		}
	}
	return least, most
}

// progress reports whether all participants of a call have its result, and whether any has delivered it. A rank where the
// call has failed has no result. If results are delivered at once, it counts as having one: see supplyFailure.
func (d *decision) progress(c *call) (allHave, given bool) {
	allHave = true
	for _, r := range d.reports {
		if r == nil || c.number < r.streams[c.stream].first {
			continue
		}
		p := &r.streams[c.stream]
		has := c.spec.Kind.atOnce() || !p.failed(c.number)
		allHave = allHave && has && p.done > c.number
		given = given || has && p.delivered > c.number
	}
	return allHave, given
}

// resume continues the calls of a stream in the epoch that has begun.
func (g *Group) resume(stream int, d *decision) {
	s := &g.streams[stream]
	for i := range s.recoveries {
		g.supplyFailure(stream, &s.recoveries[i])
	}
	g.repeatFailures(stream, d)
	for _, c := range slices.Clone(s.calls) {
		allHave, given := d.progress(c)
		switch {
		case g.err != nil || c.state == over || c.state == queued || c.epoch == g.epoch:
		case s.spec.Kind.atOnce() && allHave:
			g.removeCall(c)
		case s.spec.Kind.atOnce():
			g.start(c)
		case allHave && c.state == holding: // a rank that has delivered it knows that
			g.confirmed(c)
		case !given:
			g.start(c)
		default:
			g.fail(c, ErrForgotten)
		}
	}
	g.startNext(stream)
}

// repeatFailures tells ranks again which of their calls have failed here. What they were told in the last epoch may not have
// reached them, and they would begin such a call again.
func (g *Group) repeatFailures(stream int, d *decision) {
	s := &g.streams[stream]
	if s.spec.Kind.atOnce() {
		return
	}
	for _, f := range s.fails {
		for r, rep := range d.reports {
			if rep == nil || r == g.config.Self || f.call < s.failing {
				continue
			}
			if p := &rep.streams[stream]; p.first <= f.call && p.delivered <= f.call {
				g.queueMessage(r, g.failed(stream, f.call, f.err))
			}
		}
	}
}

// supplyFailure tells ranks without the result of a call that has failed here that there is none.
func (g *Group) supplyFailure(stream int, f *recovery) {
	if c := g.find(stream, f.call); f.from != g.config.Self || c != nil && c.state != over {
		return
	}
	reason := g.streams[stream].failureOf(f.call)
	if reason == nil {
		reason = ErrForgotten
	}
	for _, r := range g.members {
		if f.lacks[r] {
			g.queueMessage(r, g.failed(stream, f.call, reason))
		}
	}
}
