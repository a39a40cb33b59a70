package collective

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// state is the progress of a call on this rank.
type state uint8

const (
	queued  state = iota // waits for earlier calls of the stream
	working              // executes the plans of its chunks
	holding              // has its result and confirms it
	over                 // has ended: no rank needs its data
)

// call is one call of a stream's collective.
type call struct {
	stream    int
	spec      *Spec
	number    uint64
	turn      uint64 // the number of the latest call of Enter, which may be this call
	aborted   error  // why this rank does not take part
	state     state
	delivered bool
	ranks     int // the number of contributions to the result

	shape     [2]int // rows of the value, and elements of each
	rows, row int    // the same in units, as they are sent
	in        []byte
	inMemory  *tensor.Memory
	rest      func() ([]byte, error) // of Enter: the rest of in, which is not needed so far
	whole     int                    // units of all segments
	out       []byte
	memory    *tensor.Memory // of out, with one reference; nil if the garbage collector frees it

	gen       int   // the generation of the plans
	epoch     Epoch // for which the plans are
	algorithm Algorithm
	links     Links // the worst of the ranks that have confirmed

	members []int // ranks that take part
	me      position
	root    int // the root's position
	chunks  []chunk
	plans   [][]step // of the segments, and at the end that of the confirmation
	left    int      // chunks that have not completed their plans
	pending map[place]piece
	large   []bool // by position: more is sent there than is allowed before it is ready
	ready   []bool
	blocked [][]sent
}

// setContribution makes a value the contribution of this rank. With feedback, lost is added first and updated.
func (c *call) setContribution(v Value, lost []float32) {
	c.shape = [2]int{v.Rows, v.Row}
	c.rows, c.row = c.spec.units(v.Rows, v.Row)
	if c.spec.Codec != Exact {
		x := view[float32](v.Data)
		if c.spec.Feedback {
			x = c.spec.withFeedback(x, lost)
		}
		c.in = c.spec.encode(x, c.rows)
		return
	}
	if v.Memory != nil {
		v.Memory.Retain()
		c.in, c.inMemory = v.Data, v.Memory
		return
	}
	c.in, c.rest = aligned(len(v.Data)), v.State
	copy(c.in, v.Data)
}

// position returns the index of a rank in members, or -1.
func (c *call) position(rank int) int { return slices.Index(c.members, rank) }

// takePart returns the members that were in the group when the call's step began.
func (g *Group) takePart(c *call) []int {
	if !slices.ContainsFunc(g.members, func(r int) bool { return g.admitted[r].since > c.turn }) {
		return g.members
	}
	return slices.DeleteFunc(slices.Clone(g.members), func(r int) bool { return g.admitted[r].since > c.turn })
}

// size returns the bytes of a unit.
func (c *call) size() int {
	_, bytes := c.spec.unit()
	return bytes
}

// length returns the number of elements of all segments.
func (c *call) length() uint64 {
	switch {
	case c.spec.Codec == Exact:
		return uint64(c.whole)
	case c.spec.Kind == AllGather:
		return uint64(c.shape[0] * c.shape[1] * c.me.of)
	}
	return uint64(c.shape[0] * c.shape[1])
}

func (c *call) release() {
	c.state = over
	c.drop()
	c.inMemory.Release()
	c.memory.Release()
	c.in, c.out, c.inMemory, c.memory, c.rest = nil, nil, nil, nil, nil
	c.chunks, c.plans, c.blocked = nil, nil, nil
}

// drop releases received chunks and partial sums.
func (c *call) drop() {
	for _, p := range c.pending {
		p.release()
	}
	for i := range c.chunks {
		ch := &c.chunks[i]
		ch.partial.release()
		for k := range ch.sums {
			ch.sums[k].release()
		}
		ch.sums = nil
	}
	c.pending = nil
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
	case (s.spec.Kind == Broadcast || s.spec.Kind == Reduce) && root < 0 && s.recoveryOf(c.number) == nil:
		g.fail(c, &RankError{s.spec.Root, ErrRootLost})
	default:
		g.prepare(c)
		if c.aborted != nil { // its state could not be written
			g.failAll(c, &RankError{g.config.Self, c.aborted})
			return
		}
		if c.isEnter() && c.number > 0 && len(g.newcomers(c)) == 0 { // no rank joins, so nothing is sent
			g.deliver(c)
			g.removeCall(c)
			return
		}
		g.run(c)
	}
}

// handleResult handles the complete result: it delivers the result if it is final, and confirms it.
func (g *Group) handleResult(c *call) {
	c.state, c.links = holding, g.links
	if c.spec.Kind.atOnce() {
		g.deliver(c)
	}
	g.advance(c, len(c.chunks)-1)
}

// confirmed ends the call: all members have their results.
func (g *Group) confirmed(c *call) {
	g.keepLinks(c)
	g.deliver(c)
	g.removeCall(c)
}

// deliver returns the result to the caller, once.
func (g *Group) deliver(c *call) {
	if c.delivered {
		return
	}
	c.delivered, g.streams[c.stream].failing = true, c.number+1
	c.rest = nil // the call is not repeated any more, and the caller goes on
	r := Result{Stream: c.stream, Call: c.number, Ranks: c.ranks, Value: Value{Rows: c.shape[0], Row: c.shape[1], Data: c.out, Memory: c.memory}}
	switch k := c.spec.Kind; {
	case k == Barrier:
		r.Value = Value{}
	case k == Enter:
		r.Value = Value{}
		if len(c.out) > 0 {
			r.Data, r.Err = g.takeNumbers(c.out)
			r.Memory = c.memory
		}
	case k == AllGather:
		r.Rows *= c.ranks
	case k == ReduceScatter:
		lo, hi := share(c.shape[0], c.ranks, c.me.at), share(c.shape[0], c.ranks, c.me.at+1)
		r.Rows, r.Data = hi-lo, c.out[lo*c.row*c.size():hi*c.row*c.size()]
	case k == Reduce && c.me.at != c.root:
		r.Data, r.Memory = c.in, c.inMemory
	}
	if c.spec.Codec != Exact {
		r.Value = c.spec.decoded(r.Value, c.ranks)
	} else {
		r.Memory.Retain()
	}
	g.done = append(g.done, r)
	g.startNext(c.stream)
}

// text returns the name of a call for errors.
func (c *call) text() string {
	return fmt.Sprintf("%v %d of stream %d", c.spec.Kind, c.number, c.stream)
}
