package collective

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// state is how far a call has come on this rank.
type state uint8

const (
	queued  state = iota // waits for those before
	working              // chunks go through their plans
	holding              // has its result, and confirms that
	over                 // nothing of it is needed any more
)

// call is one call of a stream's collective.
type call struct {
	stream    int
	spec      *Spec
	number    uint64
	aborted   error // why this rank does not take part
	state     state
	delivered bool
	ranks     int // that are in the result

	rows, row int
	in        []byte
	inMemory  *tensor.Memory
	whole     int // elements of all segments
	out       []byte
	memory    *tensor.Memory // of out, with one share; nil: the collector's

	gen     int   // of the plans
	epoch   Epoch // that they are for
	me      seat
	root    int // its position
	chunks  []chunk
	plans   [][]step // of the segments, and last of the confirmation
	left    int      // chunks that are not through
	pending map[place][]byte
	large   []bool // by position: more goes there than may go before it is ready
	ready   []bool
	blocked [][]sent
}

// place is a step of a chunk's plan.
type place struct{ chunk, step int }

// chunk is a part of a value, elements lo to hi of the whole.
type chunk struct {
	segment int
	lo, hi  int
	pc      int // the step of the plan that is next
	run     int // steps from there on that send
	unsent  int // of those, that are not pulled
	touched bool
	wide    []float32 // a partial sum of 16-bit floats
}

// take makes the call's contribution a value.
func (c *call) take(v Value) {
	c.rows, c.row = v.Rows, v.Row
	if v.Memory != nil {
		v.Memory.Retain()
		c.in, c.inMemory = v.Data, v.Memory
		return
	}
	c.in = aligned(len(v.Data))
	copy(c.in, v.Data)
}

// aligned is memory for elements of any type.
func aligned(n int) []byte { return tensor.Raw(make([]uint64, (n+7)/8))[:n] }

func (c *call) size() int { return c.spec.Elem.Size() }

// plan is that of a chunk. The last chunk is the confirmation.
func (c *call) plan(chunk int) []step { return c.plans[c.chunks[chunk].segment] }

// isConfirmation reports whether a chunk stands for the end of the call.
func (c *call) isConfirmation(chunk int) bool { return chunk == len(c.chunks)-1 }

// part is the memory of a chunk in out.
func (c *call) part(ch *chunk) []byte { return c.out[ch.lo*c.size() : ch.hi*c.size()] }

// contribution is this rank's part of a chunk.
func (c *call) contribution(ch *chunk) []byte {
	lo := 0
	if c.spec.Kind == AllGather {
		lo = c.me.at * c.rows * c.row
	}
	return c.in[(ch.lo-lo)*c.size() : (ch.hi-lo)*c.size()]
}

// bytesOf is what a chunk holds now.
func (c *call) bytesOf(i int) []byte {
	ch := &c.chunks[i]
	switch {
	case c.isConfirmation(i):
		return nil
	case ch.touched:
		return c.part(ch)
	}
	return c.contribution(ch)
}

func (c *call) release() {
	c.state = over
	c.inMemory.Release()
	c.memory.Release()
	c.in, c.out, c.inMemory, c.memory = nil, nil, nil, nil
	c.chunks, c.plans, c.pending, c.blocked = nil, nil, nil, nil
}

// start begins a call in the present epoch, for the first time or again.
func (g *Group) start(c *call) {
	s := &g.streams[c.stream]
	c.gen++
	switch root := g.at[s.spec.Root]; {
	case g.err != nil:
		g.fail(c, g.err)
	case c.aborted != nil:
		g.failAll(c, &RankError{g.config.Self, c.aborted})
	case (s.spec.Kind == Broadcast || s.spec.Kind == Reduce) && root < 0 && s.fateOf(c.number) == nil:
		g.fail(c, &RankError{s.spec.Root, ErrRootLost})
	default:
		g.prepare(c)
		g.run(c)
	}
}

// prepare plans a call in the present epoch.
func (g *Group) prepare(c *call) {
	s := &g.streams[c.stream]
	c.epoch, c.me, c.root = g.epoch, g.seat(), g.at[s.spec.Root]
	if f := s.fateOf(c.number); f != nil {
		g.supplied(c, f)
		return
	}
	c.ranks = len(g.members)
	c.layOut(g.config.Chunk)
}

// supplied plans a call whose result some member has.
func (g *Group) supplied(c *call, f *fate) {
	c.ranks = f.ranks
	c.whole = c.rows * c.row
	lacks := make([]bool, len(g.members))
	for i, r := range g.members {
		lacks[i] = f.lacks[r]
	}
	c.plans = [][]step{supply(c.me, g.at[f.from], lacks), confirm(c.me)}
	if !c.delivered {
		c.allocate()
	}
	c.divide(g.config.Chunk, []int{0, c.whole})
	for i := range c.chunks {
		c.chunks[i].touched = true
	}
}

// layOut plans a call.
func (c *call) layOut(most int) {
	s := c.spec
	if s.Kind == Barrier {
		c.whole = 0
	} else if c.whole = c.rows * c.row; s.Kind == AllGather {
		c.whole *= c.me.of
	}
	a := s.Choose(c.rows*c.row*s.Elem.Size(), c.me.of)
	n := s.segments(a, c.me.of)
	c.plans = nil
	for i := range n {
		c.plans = append(c.plans, s.plan(a, c.me, i, c.root))
	}
	c.plans = append(c.plans, confirm(c.me))
	c.allocate()
	c.divide(most, c.bounds(n))
	for i := range c.chunks {
		ch := &c.chunks[i]
		if mine := s.Kind == AllGather && ch.segment == c.me.at || s.Kind == Broadcast && c.me.at == c.root; mine && !c.isConfirmation(i) {
			copy(c.part(ch), c.contribution(ch))
			ch.touched = true
		}
	}
}

// allocate makes room for the result.
func (c *call) allocate() {
	n := c.whole * c.size()
	switch {
	case len(c.out) == n && n > 0:
	case tensor.AreLarge(n):
		c.memory.Release()
		c.memory = tensor.NewMemory(n)
		c.out = c.memory.Bytes()[:n:n]
	default:
		c.memory.Release()
		c.out, c.memory = aligned(n), nil
	}
}

// bounds are where segments begin and the last one ends, in elements: as even as can be,
// of whole rows where ranks have segments of their own.
func (c *call) bounds(segments int) []int {
	count, unit := c.whole, 1
	switch c.spec.Kind {
	case ReduceScatter:
		count, unit = c.rows, c.row
	case AllGather:
		count, unit = c.rows*segments, c.row
	}
	b := make([]int, segments+1)
	for i := range b {
		b[i] = unit * share(count, segments, i)
	}
	return b
}

// share is where part i of n things begins that are divided into parts: the first ones
// have one more.
func share(n, parts, i int) int { return n/parts*i + min(i, n%parts) }

// divide makes chunks of the segments, and one that stands for the confirmation.
func (c *call) divide(most int, bounds []int) {
	c.chunks, c.pending = c.chunks[:0], nil
	per := max(most/max(c.size(), 1), 1)
	for i := range len(bounds) - 1 {
		size := bounds[i+1] - bounds[i]
		n := (size + per - 1) / per
		for k := range n {
			c.chunks = append(c.chunks, chunk{segment: i, lo: bounds[i] + share(size, n, k), hi: bounds[i] + share(size, n, k+1)})
		}
	}
	c.chunks = append(c.chunks, chunk{segment: len(c.plans) - 1})
	c.left = len(c.chunks) - 1
}

// run begins to take the chunks through their plans.
func (g *Group) run(c *call) {
	c.state = working
	in := g.count(c)
	for i, r := range g.members {
		if in[i] > g.config.Eager {
			g.tell(r, Message{Stream: c.stream, Type: Ready, Call: c.number, Epoch: g.epoch, Length: uint64(c.whole)})
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
		var data []byte
		if s.do.receives() {
			at := place{i, ch.pc}
			d, ok := c.pending[at]
			if !ok {
				return
			}
			delete(c.pending, at)
			data = d
		}
		g.apply(c, ch, s.do, data)
		ch.pc++
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

// hold has the result, gives it out if it is final, and confirms it.
func (g *Group) hold(c *call) {
	c.state = holding
	if c.spec.Kind.atOnce() {
		g.deliver(c)
	}
	g.advance(c, len(c.chunks)-1)
}

// confirmed knows that all members have their results, and those of earlier calls.
func (g *Group) confirmed(c *call) {
	g.deliver(c)
	for _, x := range slices.Clone(g.streams[c.stream].calls) {
		if x.number <= c.number && x.state != over {
			g.close(x)
		}
	}
}

// deliver gives the result out, once.
func (g *Group) deliver(c *call) {
	if c.delivered {
		return
	}
	c.delivered = true
	r := Result{Stream: c.stream, Call: c.number, Ranks: c.ranks, Value: Value{Rows: c.rows, Row: c.row, Data: c.out, Memory: c.memory}}
	switch k := c.spec.Kind; {
	case k == Barrier:
		r.Value = Value{}
	case k == AllGather:
		r.Rows *= c.ranks
	case k == ReduceScatter:
		lo, hi := share(c.rows, c.ranks, c.me.at), share(c.rows, c.ranks, c.me.at+1)
		r.Rows, r.Data = hi-lo, c.out[lo*c.row*c.size():hi*c.row*c.size()]
	case k == Reduce && c.me.at != c.root:
		r.Data, r.Memory = c.in, c.inMemory
	}
	r.Memory.Retain()
	g.done = append(g.done, r)
	g.startNext(c.stream)
}

// apply is a step that does not send.
func (g *Group) apply(c *call, ch *chunk, do action, data []byte) {
	if do == note {
		return
	}
	dst, mine := c.part(ch), func() []byte { return c.contribution(ch) }
	if c.spec.widens() && do != store {
		g.applyWide(c, ch, do, data)
		return
	}
	switch do {
	case take, store:
		copy(dst, data)
	case add:
		combine(c.spec, dst, g.operand(ch, dst, mine), g.elements(data))
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

// operand is what a chunk holds already.
func (g *Group) operand(ch *chunk, dst []byte, mine func() []byte) []byte {
	if ch.touched {
		return dst
	}
	return mine()
}

// applyWide is apply for sums of 16-bit floats, which are float32 until they are
// complete.
func (g *Group) applyWide(c *call, ch *chunk, do action, data []byte) {
	first := ch.wide == nil
	if first {
		ch.wide = make([]float32, ch.hi-ch.lo)
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
	narrow(c.spec.Elem, c.part(ch), ch.wide)
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

// text names a call in errors.
func (c *call) text() string {
	return fmt.Sprintf("%v %d of stream %d", c.spec.Kind, c.number, c.stream)
}
