package collective

import "github.com/bbgen/bbgen/runtime/tensor"

// aligned returns n bytes that are aligned for elements of any type.
func aligned(n int) []byte { return tensor.Raw(make([]uint64, (n+7)/8))[:n] }

// prepare plans a call in the present epoch.
func (g *Group) prepare(c *call) {
	s := &g.streams[c.stream]
	c.epoch, c.members = g.epoch, g.takePart(c)
	c.me, c.root, c.algorithm = position{c.position(g.config.Self), len(c.members)}, c.position(s.spec.Root), Auto
	if !c.delivered && c.memory == nil {
		c.memory, s.spare = s.spare, nil
	}
	if f := s.recoveryOf(c.number); f != nil {
		g.supplied(c, f)
		return
	}
	c.ranks = len(c.members)
	if c.isEnter() {
		g.layOutEnter(c)
		return
	}
	c.layOut(g.config.Chunk, g.linksOf(c))
}

// supplied plans a call whose result some members have: one of them supplies it to the others.
func (g *Group) supplied(c *call, f *recovery) {
	c.ranks = f.ranks
	c.whole = c.rows * c.row
	lacks := make([]bool, len(c.members))
	for i, r := range c.members {
		lacks[i] = f.lacks[r]
	}
	c.plans = [][]step{supply(c.me, c.position(f.from), lacks), confirm(c.me)}
	if !c.delivered {
		c.allocate()
	}
	c.divide(g.config.Chunk, []int{0, c.whole})
	for i := range c.chunks {
		c.chunks[i].touched = true
	}
}

// layOut plans a call whose result no member has.
func (c *call) layOut(most int, l Links) {
	s := c.spec
	if s.Kind == Barrier {
		c.whole = 0
	} else if c.whole = c.rows * c.row; s.Kind == AllGather {
		c.whole *= c.me.of
	}
	bytes := c.rows * c.row * c.size()
	a, o := s.choose(bytes, c.me.of, l), s.order(bytes, c.me.of)
	n := s.segments(a, c.me.of)
	c.algorithm = a
	c.plans = nil
	for i := range n {
		c.plans = append(c.plans, s.plan(a, o, c.me, i, c.root))
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

// allocate allocates memory for the result. It does not reuse memory that still has readers from an earlier
// epoch.
func (c *call) allocate() {
	n := c.whole * c.size()
	if tensor.AreLarge(n) {
		c.memory = c.memory.Renew(n)
		c.out = c.memory.Bytes()[:n:n]
		return
	}
	c.memory.Release()
	c.out, c.memory = aligned(n), nil
}

// bounds returns the begin of each segment and the end of the last, in units. Segments are as equal as
// possible. They consist of whole rows if each rank has a segment of its own.
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

// share returns the begin of part i of n things that are divided into equal parts. The first parts may have
// one more.
func share(n, parts, i int) int { return n/parts*i + min(i, n%parts) }

// A segment is divided into segmentChunks chunks or more, unless they would be smaller than leastChunk: so a value
// that is not large is encrypted, sent and added at the same time, too.
const (
	segmentChunks = 8
	leastChunk    = 64 << 10
)

// divide divides the segments into chunks of at most most bytes, and adds a last chunk for the confirmation.
func (c *call) divide(most int, bounds []int) {
	c.drop()
	c.chunks = c.chunks[:0]
	for i := range len(bounds) - 1 {
		size := bounds[i+1] - bounds[i]
		bytes := min(max(size*c.size()/segmentChunks, leastChunk), most)
		per := max(bytes/max(c.size(), 1), 1)
		n := (size + per - 1) / per
		for k := range n {
			c.chunks = append(c.chunks, chunk{segment: i, lo: bounds[i] + share(size, n, k), hi: bounds[i] + share(size, n, k+1)})
		}
	}
	c.chunks = append(c.chunks, chunk{segment: len(c.plans) - 1})
	c.left = len(c.chunks) - 1
}
