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
	pc      int       // the next step of the plan
	run     int       // the number of consecutive sends from pc on
	unsent  int       // how many of those are not pulled yet
	touched bool      // the chunk's part of out is set
	wide    []float32 // a sum that is not complete, of elements narrower than float32
	partial piece     // a partial sum to send, which is not in out
	sums    []piece   // sums that began while out held another one that is not complete
}

// plan returns the plan of a chunk. The plan of the last chunk is the confirmation.
func (c *call) plan(chunk int) []step { return c.plans[c.chunks[chunk].segment] }

// isConfirmation reports whether a chunk is the confirmation of the call.
func (c *call) isConfirmation(chunk int) bool { return chunk == len(c.chunks)-1 }

// part returns the memory of a chunk in out.
func (c *call) part(ch *chunk) []byte { return c.out[ch.lo*c.size() : ch.hi*c.size()] }

// messageBytes returns the size of the messages of a chunk.
func (c *call) messageBytes(chunk int) int {
	if c.isConfirmation(chunk) {
		return linksBytes
	}
	return (c.chunks[chunk].hi - c.chunks[chunk].lo) * c.size()
}

// elements returns the number of elements of a chunk.
func (c *call) elements(ch *chunk) int {
	per, _ := c.spec.unit()
	return (ch.hi - ch.lo) * per
}

// contribution returns this rank's part of a chunk.
func (c *call) contribution(ch *chunk) []byte {
	lo := 0
	if c.spec.Kind == AllGather {
		lo = c.me.at * c.rows * c.row
	}
	return c.in[(ch.lo-lo)*c.size() : (ch.hi-lo)*c.size()]
}

// held returns the present data of a chunk: a partial sum, its part of out, or this rank's contribution.
func (c *call) held(ch *chunk) []byte {
	switch {
	case ch.partial.data != nil:
		return ch.partial.data
	case ch.touched:
		return c.part(ch)
	}
	return c.contribution(ch)
}

// heldIn returns the memory of what chunk i holds, or nil if that has no reference count or is written to
// later.
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

// run starts the steps of the chunks of a call.
func (g *Group) run(c *call) {
	c.state = working
	in := g.count(c)
	for i, r := range c.members {
		if in[i] > g.config.Eager {
			g.queueMessage(r, Message{Stream: c.stream, Type: Ready, Call: c.number, Epoch: g.epoch, Length: c.length(), Algorithm: c.algorithm})
		}
	}
	gen := c.gen
	if c.left == 0 {
		g.handleResult(c)
	}
	for i := 0; c.state == working && c.gen == gen && i < len(c.chunks)-1; i++ {
		g.advance(c, i)
	}
	if c.state != over && c.gen == gen {
		g.replay(c)
	}
}

// count computes how many bytes the plan sends to and receives from each member. It marks the members that
// receive more than Config.Eager: they have to be ready first. It returns the bytes received from each.
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

// advance executes the steps of a chunk until one has to wait.
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
		g.handleResult(c)
	}
}

// sendRun posts the consecutive sends that are next in a chunk's plan.
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

// step executes the next step of a chunk's plan, which is not a send, with the received piece p. The piece is
// borrowed. Its data may be overwritten if their memory has a reference count.
func (g *Group) step(c *call, i int, p piece) {
	ch := &c.chunks[i]
	plan := c.plan(i)
	do := plan[ch.pc].do
	ch.pc++
	switch {
	case do == note:
		l, _ := readLinks(p.data)
		c.links = c.links.worst(l)
	case c.spec.widens() && do != store:
		g.applyWide(c, ch, do, p.data)
	case do == add && !slices.Contains(plan, step{finish, 0}):
		g.relay(c, ch, p)
	case do == own || do == addOwn:
		g.apply(c, ch, do, piece{data: c.contribution(ch)})
	default:
		g.apply(c, ch, do, p)
	}
}

// relay adds what the chunk holds to a received partial sum that is sent on. The sum replaces the received
// data if their memory has a reference count. It is not in out: the final sum may be written there before the
// host has sent the partial sum, which would then have to be copied.
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

// apply executes a step whose result is the chunk's part of out, or a sum beside it.
func (g *Group) apply(c *call, ch *chunk, do action, p piece) {
	dst, sums := c.part(ch), len(ch.sums)
	switch {
	case do == store:
		copy(dst, p.data)
	case do == finish:
		g.complete(c, ch)
	case (do == take || do == own) && ch.touched:
		ch.sums = append(ch.sums, p.mutable())
	case do == take || do == own:
		copy(dst, p.data)
	case do == fold:
		top := ch.sums[sums-1]
		ch.sums = ch.sums[:sums-1]
		g.plus(c, ch, top.data)
		top.release()
	default:
		g.plus(c, ch, g.elements(p.data))
	}
	ch.touched = true
}

// plus adds data to the last sum of a chunk that is not complete.
func (g *Group) plus(c *call, ch *chunk, data []byte) {
	if k := len(ch.sums); k > 0 {
		sum := ch.sums[k-1].data
		combine(c.spec, sum, sum, data)
		return
	}
	combine(c.spec, c.part(ch), c.held(ch), data)
}

// complete makes the sum in the chunk's part of out the result.
func (g *Group) complete(c *call, ch *chunk) {
	dst := c.part(ch)
	if !ch.touched {
		copy(dst, c.contribution(ch))
	}
	if c.spec.Op == Mean {
		divide(c.spec.Elem, dst, c.me.of)
	}
}

// applyWide is apply for sums of elements narrower than float32, which are summed as float32.
func (g *Group) applyWide(c *call, ch *chunk, do action, data []byte) {
	first := ch.wide == nil
	if first {
		ch.wide = make([]float32, c.elements(ch))
	}
	if do == own || do == addOwn {
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

// elements returns data at an address that is aligned for all element types. A copy is valid until the next
// call.
func (g *Group) elements(data []byte) []byte {
	if isAligned(data) {
		return data
	}
	g.scratch = tensor.Grow(g.scratch, (len(data)+7)/8)
	b := tensor.Raw(g.scratch)[:len(data)]
	copy(b, data)
	return b
}
