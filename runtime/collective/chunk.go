package collective

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// place is a step of a chunk's plan.
type place struct{ chunk, step int }

// chunk is a part of a value, units lo to hi of the whole.
type chunk struct {
	segment int
	lo, hi  int
	pc      int       // the step of the plan that is next
	run     int       // steps from there on that send
	unsent  int       // of those, that are not pulled
	touched bool      // its place in out has a sum
	wide    []float32 // a partial sum that is wider than what is sent
	partial piece     // one that is sent on, and stands elsewhere than the sum to come
}

// plan is that of a chunk. The last chunk is the confirmation.
func (c *call) plan(chunk int) []step { return c.plans[c.chunks[chunk].segment] }

// isConfirmation reports whether a chunk stands for the end of the call.
func (c *call) isConfirmation(chunk int) bool { return chunk == len(c.chunks)-1 }

// part is the memory of a chunk in out.
func (c *call) part(ch *chunk) []byte { return c.out[ch.lo*c.size() : ch.hi*c.size()] }

// elements is how many a chunk has.
func (c *call) elements(ch *chunk) int {
	per, _ := c.spec.unit()
	return (ch.hi - ch.lo) * per
}

// contribution is this rank's part of a chunk.
func (c *call) contribution(ch *chunk) []byte {
	lo := 0
	if c.spec.Kind == AllGather {
		lo = c.me.at * c.rows * c.row
	}
	return c.in[(ch.lo-lo)*c.size() : (ch.hi-lo)*c.size()]
}

// held is what a chunk holds now.
func (c *call) held(ch *chunk) []byte {
	switch {
	case ch.partial.data != nil:
		return ch.partial.data
	case ch.touched:
		return c.part(ch)
	}
	return c.contribution(ch)
}

// heldIn is where that stands, if it is counted and nobody writes to it again.
func (c *call) heldIn(i int) *tensor.Memory {
	ch := &c.chunks[i]
	switch {
	case ch.partial.data != nil:
		return ch.partial.memory
	case !ch.touched:
		return c.inMemory
	case slices.ContainsFunc(c.plan(i)[ch.pc:], func(s step) bool { return s.do != send }):
		return nil
	}
	return c.memory
}

// run begins to take the chunks through their plans.
func (g *Group) run(c *call) {
	c.state = working
	in := g.count(c)
	for i, r := range c.members {
		if in[i] > g.config.Eager {
			g.tell(r, Message{Stream: c.stream, Type: Ready, Call: c.number, Epoch: g.epoch, Length: c.length()})
		}
	}
	gen := c.gen
	if c.left == 0 {
		g.hold(c)
	}
	for i := 0; c.state == working && c.gen == gen && i < len(c.chunks)-1; i++ {
		g.advance(c, i)
	}
	if c.state != over && c.gen == gen {
		g.replay(c)
	}
}

// count finds to whom more goes than may go before it is ready, and returns how many
// bytes come from each member.
func (g *Group) count(c *call) (in []int) {
	c.large, c.ready, c.blocked = make([]bool, c.me.of), make([]bool, c.me.of), make([][]sent, c.me.of)
	in, out := make([]int, c.me.of), make([]int, c.me.of)
	for i := range c.chunks {
		size := (c.chunks[i].hi - c.chunks[i].lo) * c.size()
		for _, s := range c.plan(i) {
			switch {
			case s.do == send:
				out[s.peer] += size
			case s.do.receives():
				in[s.peer] += size
			}
		}
	}
	for i := range out {
		c.large[i] = out[i] > g.config.Eager
	}
	return in
}

// advance takes a chunk as far through its plan as it goes.
func (g *Group) advance(c *call, i int) {
	ch := &c.chunks[i]
	plan := c.plan(i)
	for ch.pc < len(plan) && ch.unsent == 0 {
		s := plan[ch.pc]
		if s.do == send {
			g.sendRun(c, i)
			return
		}
		var p piece
		if s.do.receives() {
			at := place{i, ch.pc}
			come, ok := c.pending[at]
			if !ok {
				return
			}
			delete(c.pending, at)
			p = come
		}
		g.step(c, i, p)
		p.release()
	}
	if ch.pc < len(plan) {
		return
	}
	if c.isConfirmation(i) {
		g.confirmed(c)
		return
	}
	if c.left--; c.left == 0 {
		g.hold(c)
	}
}

// sendRun posts the sends that stand next in a plan.
func (g *Group) sendRun(c *call, i int) {
	ch := &c.chunks[i]
	rest := c.plan(i)[ch.pc:]
	ch.run = slices.IndexFunc(rest, func(s step) bool { return s.do != send })
	if ch.run < 0 {
		ch.run = len(rest)
	}
	ch.unsent = ch.run
	for k := range ch.run {
		g.post(c, i, ch.pc+k)
	}
}

// step is the next step of a chunk's plan, which does not send. What has come for it is
// borrowed, and may be written to where that is counted.
func (g *Group) step(c *call, i int, p piece) {
	ch := &c.chunks[i]
	plan := c.plan(i)
	do := plan[ch.pc].do
	ch.pc++
	switch {
	case do == note:
	case c.spec.widens() && do != store:
		g.applyWide(c, ch, do, p.data)
	case do == add && !slices.Contains(plan, step{finish, 0}):
		g.relay(c, ch, p)
	default:
		g.apply(c, ch, do, p.data)
	}
}

// relay adds to a partial sum that is sent on: in the memory of what has come where that is
// counted, so that it need not be copied when it is sent and the final sum takes its place.
func (g *Group) relay(c *call, ch *chunk, come piece) {
	sum := come
	if come.memory == nil || !isAligned(come.data) {
		sum = newPiece(len(come.data))
	} else {
		sum.memory.Retain()
	}
	combine(c.spec, sum.data, c.held(ch), g.elements(come.data))
	ch.partial.release()
	ch.partial = sum
}

// apply is a step whose result stands in its place in out.
func (g *Group) apply(c *call, ch *chunk, do action, data []byte) {
	dst, mine := c.part(ch), func() []byte { return c.contribution(ch) }
	switch do {
	case take, store:
		copy(dst, data)
	case add:
		combine(c.spec, dst, c.held(ch), g.elements(data))
	case own:
		if ch.touched {
			combine(c.spec, dst, dst, mine())
		} else {
			copy(dst, mine())
		}
	case finish:
		if !ch.touched {
			copy(dst, mine())
		}
		if c.spec.Op == Mean {
			divide(c.spec.Elem, dst, c.me.of)
		}
	}
	ch.touched = true
}

// applyWide is apply for sums of what is narrower than float32, which they are until they are
// complete.
func (g *Group) applyWide(c *call, ch *chunk, do action, data []byte) {
	first := ch.wide == nil
	if first {
		ch.wide = make([]float32, c.elements(ch))
	}
	if do == own {
		data = c.contribution(ch)
	}
	if do != finish {
		widen(c.spec, ch.wide, g.elements(data), first)
		return
	}
	if c.spec.Op == Mean {
		for i := range ch.wide {
			ch.wide[i] /= float32(c.me.of)
		}
	}
	if c.spec.Feedback {
		g.roundSum(c, ch)
	}
	narrow(c.spec, c.part(ch), ch.wide)
	ch.wide, ch.touched = nil, true
}

// elements is data at an address that every element type allows.
func (g *Group) elements(data []byte) []byte {
	if isAligned(data) {
		return data
	}
	g.scratch = tensor.Grow(g.scratch, (len(data)+7)/8)
	b := tensor.Raw(g.scratch)[:len(data)]
	copy(b, data)
	return b
}
