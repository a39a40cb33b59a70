package collective

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A call of Enter begins a step. Usually nothing is sent, as no rank joins. The first call waits for all ranks,
// so that a restarted rank learns that the others have continued. In a call in which ranks join, the lowest of
// the others sends them its value, preceded by the numbers of its calls.

// NeedsState reports whether the next call of [Enter] may need a value because a rank may join in it.
func (g *Group) NeedsState() bool {
	g.completeSend()
	number := g.streams[g.enter].next
	return g.frozen || g.isAsked() || slices.ContainsFunc(g.members, func(r int) bool { return number > 0 && g.admitted[r].since == number })
}

// newcomers returns the members that join in a call of Enter.
func (g *Group) newcomers(c *call) (list []int) {
	for _, r := range c.members {
		if c.number > 0 && g.admitted[r].since == c.number {
			list = append(list, r)
		}
	}
	return list
}

// isEnter reports whether a call is one of Enter.
func (c *call) isEnter() bool { return c.spec.Kind == Enter }

// withNumbers returns the numbers of the next calls, followed by a value.
func (g *Group) withNumbers(data []byte) []byte {
	var b []byte
	for i := range g.streams {
		b = binary.AppendUvarint(b, g.streams[i].next)
	}
	return append(b, data...)
}

// complete writes the rest of the rank's value.
func (c *call) complete() error {
	if c.rest == nil {
		return nil
	}
	state, err := c.rest()
	c.in, c.rest = append(c.in, state...), nil
	c.shape = [2]int{len(c.in), 1}
	c.rows, c.row = len(c.in), 1
	return err
}

// completeValues writes the values of calls that wait to be needed.
func (g *Group) completeValues() error {
	for i := range g.streams {
		for _, c := range g.streams[i].calls {
			if err := c.complete(); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeNumbers sets the numbers of the calls to those of the rank that has sent the value.
func (g *Group) takeNumbers(data []byte) ([]byte, error) {
	r := reader{b: data}
	numbers := r.uints(len(g.streams))
	if r.err != nil {
		return nil, r.err
	}
	for i := range g.streams {
		if s := &g.streams[i]; i != g.enter {
			s.first = numbers[i]
			s.renumber(numbers[i])
		}
	}
	g.receiveAgain(g.isOutOfOrder)
	return r.b, nil
}

// isOutOfOrder reports whether an early message of the epoch is for a call that cannot come next.
func (g *Group) isOutOfOrder(e *earlyMessage) bool {
	return e.Epoch == g.epoch && e.Type < LeftOut && e.Call-g.streams[e.Stream].next >= uint64(g.config.Calls)
}

// layOutEnter plans a call of Enter.
func (g *Group) layOutEnter(c *call) {
	c.whole, c.out = 0, nil
	c.plans = [][]step{nil, confirm(c.me)}
	if joins := g.newcomers(c); len(joins) > 0 {
		g.planState(c, joins)
		return
	}
	c.divide(g.config.Chunk, []int{0, 0})
}

// planState plans a call of Enter in which the lowest of the other members sends its value to those that
// join.
func (g *Group) planState(c *call, joins []int) {
	from, lacks := -1, make([]bool, len(c.members))
	for i, r := range c.members {
		if lacks[i] = slices.Contains(joins, r); !lacks[i] && from < 0 {
			from = i
		}
	}
	if c.plans[0] = supply(c.me, from, lacks); lacks[c.me.at] {
		c.whole = c.rows
		c.allocate()
	} else if c.me.at == from {
		c.aborted = c.complete()
		c.whole = len(c.in)
	}
	c.divide(g.config.Chunk, []int{0, c.whole})
}

// hasSize reports whether the size of the value of a call of Enter is known. A rank that joins learns it
// from the first message of the giver.
func (g *Group) hasSize(c *call) bool {
	if g.admitted[g.config.Self].since != c.number || c.number == 0 {
		return true
	}
	for i := range g.early {
		e := &g.early[i]
		switch {
		case e.Stream != c.stream || e.Call != c.number || e.Epoch != g.epoch:
		case e.Type == Data && e.Length > 0:
			c.rows, c.row = int(e.Length), 1
			return true
		case e.Type == Failed: // none comes: the call begins in order to fail
			return true
		}
	}
	return false
}

// requestState tells the others, once in an epoch, that this rank accepts a value of any size.
func (g *Group) requestState(c *call) {
	if c.epoch == g.epoch {
		return
	}
	c.epoch = g.epoch
	for _, r := range g.takePart(c) {
		if r != g.config.Self {
			g.queueMessage(r, Message{Stream: c.stream, Type: Ready, Call: c.number, Epoch: g.epoch})
		}
	}
}

// maxState is the maximum size in bytes of the state for a joining rank.
const maxState = 4 << 30

// checkLength returns an error if the message's value is larger than maxState.
func checkLength(m *Message) error {
	if most := uint64(min(maxState, math.MaxInt)); m.Length > most {
		return fmt.Errorf("%w: a state of %d bytes, want %d at most", ErrOverflow, m.Length, most)
	}
	return nil
}
