package collective

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// UnmarshalBinary restores the state of another group into a new group.
func (g *Group) UnmarshalBinary(b []byte) error {
	r := snapshot{reader: reader{b: b}}
	if x := [3]int{r.int(), r.int(), r.int()}; r.err == nil && x != [3]int{g.config.Ranks, g.config.Self, len(g.streams)} {
		return fmt.Errorf("collective: a snapshot of rank %d of %d with %d streams, this is rank %d of %d with %d", x[1], x[0], x[2], g.config.Self, g.config.Ranks, len(g.streams))
	}
	epoch := r.epoch()
	members := r.members(g.config.Ranks)
	if len(members) == 0 && r.err == nil {
		r.err = errors.New("it has no members")
	}
	if r.err == nil {
		g.enterEpoch(members)
		g.epoch = epoch
	}
	g.err = r.error()
	r.agreement(g)
	g.admitted, g.ticket = r.admitted(g.config.Ranks), r.uint()
	if g.waits = r.bool(); g.waits {
		g.welcomes = make([]welcome, g.config.Ranks)
		for i := range g.welcomes {
			g.welcomes[i].epoch = r.epoch()
		}
	}
	for i := range g.streams {
		r.stream(g, i)
	}
	for range r.count() {
		e := earlyMessage{r.below(g.config.Ranks), r.message(len(g.streams))}
		if r.err == nil {
			g.early = append(g.early, e)
			g.held[e.from].count++
			g.held[e.from].bytes += len(e.Data)
		}
	}
	for to := range g.outbox {
		told := g.outbox[to].list[:0:0]
		for range r.count() {
			told = append(told, sent{message: new(r.message(len(g.streams)))})
		}
		g.outbox[to].list = append(told, g.outbox[to].list...)
	}
	if g.waits && len(r.b) > 0 {
		for i := range g.welcomes {
			g.welcomes[i].data = string(r.bytes())
		}
	}
	if len(r.b) > 0 {
		for _, h := range g.known() {
			h.signature = r.bytes()
		}
	}
	if len(r.b) > 0 {
		g.asked = r.uints(g.config.Ranks)
	}
	if len(r.b) > 0 {
		for _, l := range g.kept() {
			*l = r.links()
		}
	}
	r.plans(g)
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("%d bytes too many", len(r.b))
	}
	if r.err != nil {
		return fmt.Errorf("collective: a snapshot: %w", r.err)
	}
	return nil
}

// snapshot reads a snapshot.
type snapshot struct{ reader }

func (r *snapshot) int() int { return r.below(math.MaxInt32) }

func (r *snapshot) below(n int) int {
	x := r.uint()
	if r.err == nil && x >= uint64(n) {
		r.err = fmt.Errorf("%d, want less than %d", x, n)
	}
	if r.err != nil {
		return 0
	}
	return int(x)
}

// count reads how many items follow. Each has at least a byte.
func (r *snapshot) count() int { return r.below(len(r.b) + 1) }

func (r *snapshot) bool() bool { return r.ranks(1)[0] }

func (r *snapshot) bytes() []byte {
	n := r.count()
	if r.err != nil || n > len(r.b) {
		r.err = errors.Join(r.err, errors.New("it ends early"))
		return nil
	}
	b := aligned(n)
	copy(b, r.b)
	r.b = r.b[n:]
	return b
}

func (r *snapshot) epoch() Epoch { return Epoch{uint32(r.uint()), uint32(r.uint())} }

// linksBefore reads links as earlier versions wrote them.
func (r *snapshot) linksBefore() Links {
	return Links{Latency: time.Duration(r.uint() & math.MaxInt64), Bandwidth: int64(r.uint() & math.MaxInt64)}
}

func (r *snapshot) members(of int) (list []int) {
	for m, in := range r.ranks(of) {
		if in {
			list = append(list, m)
		}
	}
	return list
}

// restored is an error of an earlier incarnation.
type restored struct {
	text string
	is   error
}

func (e *restored) Error() string { return e.text }
func (e *restored) Unwrap() error { return e.is }

func (r *snapshot) error() error {
	if !r.bool() {
		return nil
	}
	rank, is := r.int()-1, r.below(len(sentinels)+1)-1
	e := &restored{text: string(r.bytes())}
	if is >= 0 {
		e.is = sentinels[is]
	}
	if rank < 0 {
		return e
	}
	return &RankError{rank, e}
}

func (r *snapshot) agreement(g *Group) {
	g.frozen = r.bool()
	g.lost = r.ranks(g.config.Ranks)
	g.joins = r.uints(g.config.Ranks)
	g.doubts, g.static = r.bool(), r.bool()
	for i := range g.heard {
		g.heard[i] = r.report(g)
	}
	if mine := g.heard[g.config.Self]; mine != nil {
		g.entered = mine.entered
	}
	if !r.bool() {
		return
	}
	g.last = &decision{r.epoch(), r.ranks(g.config.Ranks), r.uints(g.config.Ranks), r.bool(), make([]*report, g.config.Ranks)}
	for i := range g.last.reports {
		g.last.reports[i] = r.report(g)
	}
}

func (r *snapshot) report(g *Group) *report {
	if !r.bool() || r.err != nil {
		return nil
	}
	rep, rest, err := g.readChanges(r.b)
	r.b = rest
	if r.err = err; err != nil {
		return nil
	}
	return rep
}

func (r *snapshot) message(streams int) (m Message) {
	stream := r.below(streams)
	words := make([]uint64, Words)
	for i := range words {
		words[i] = r.uint()
	}
	if err := m.SetWords(words); err != nil {
		r.err = errors.Join(r.err, err)
	}
	m.Stream, m.Data = stream, r.bytes()
	return m
}

func (r *snapshot) stream(g *Group, stream int) {
	s := &g.streams[stream]
	s.next, s.first = r.uint(), r.uint()
	calls := r.count()
	for i := range calls {
		c := &call{stream: stream, spec: &s.spec}
		r.call(g, c)
		if want := s.next - uint64(calls-i); r.err == nil && c.number != want {
			r.err = fmt.Errorf("call %d, want %d", c.number, want)
		}
		s.calls = append(s.calls, c)
	}
	for range r.count() {
		s.recoveries = append(s.recoveries, recovery{call: r.uint(), from: r.below(g.config.Ranks), ranks: r.int(), lacks: r.ranks(g.config.Ranks)})
	}
	for range r.count() {
		s.fails = append(s.fails, failure{r.uint(), r.error()})
	}
	s.setFailing()
	for i := range s.agreed {
		s.agreed[i] = agreed{call: r.uint(), ranks: r.int(), epoch: r.epoch(), links: r.linksBefore()}
	}
	if s.spec.Feedback {
		s.lost, s.sumLost = r.floats(), r.floats()
	}
}

// plans repeats the planning of all calls, as soon as everything is read on which it depends.
func (r *snapshot) plans(g *Group) {
	for i := range g.streams {
		for _, c := range g.streams[i].calls {
			if r.err == nil && (c.state == working || c.state == holding) {
				r.plan(g, c)
			}
		}
	}
}

// setFailing finds the call after the last one whose result was delivered.
// NB: earlier calls than the failed ones that the stream remembers count as delivered.
func (s *stream) setFailing() {
	s.failing = s.next
	for i := len(s.calls) - 1; i >= 0; i-- {
		if !s.calls[i].delivered {
			s.failing = s.calls[i].number
		}
	}
	for s.failing > 0 && s.failureOf(s.failing-1) != nil {
		s.failing--
	}
}

func (r *snapshot) call(g *Group, c *call) {
	c.number, c.turn, c.state, c.ranks, c.rows, c.row = r.uint(), r.uint(), state(r.below(int(over)+1)), r.int(), r.int(), r.int()
	c.delivered = r.bool()
	if aborted, bad := r.bool(), r.bool(); bad {
		c.aborted = ErrNotFinite
	} else if aborted {
		c.aborted = ErrAborted
	}
	c.shape = [2]int{c.rows, c.row}
	if c.spec.Codec != Exact {
		c.shape = [2]int{r.int(), r.int()}
		if rows, row := c.spec.units(c.shape[0], c.shape[1]); r.err == nil && (rows != c.rows || row != c.row) {
			r.err = fmt.Errorf("a value of %v has %d rows of %d units, want %d of %d", c.shape, c.rows, c.row, rows, row)
		}
	}
	c.epoch = r.epoch()
	c.in, c.out = r.bytes(), r.bytes()
	if r.err != nil || c.state != working && c.state != holding {
		return
	}
	isGiven := c.isEnter() && c.rows == len(c.out)
	if len(c.in) != c.rows*c.row*c.size() && c.spec.Kind != Barrier && !isGiven {
		r.err = fmt.Errorf("%d bytes are no value of %d rows of %d elements", len(c.in), c.rows, c.row)
		return
	}
	c.chunks = make([]chunk, r.count())
	for i := range c.chunks {
		ch := &c.chunks[i]
		ch.pc = r.int()
		ch.touched = r.bool()
		if r.bool() {
			ch.wide = r.floats()
		}
		for range r.count() {
			ch.sums = append(ch.sums, piece{data: r.bytes()})
		}
	}
	c.links = r.linksBefore()
	c.ready = r.ranks(len(g.takePart(c)))
	for range r.count() {
		if c.pending == nil {
			c.pending = map[place]piece{}
		}
		at := place{r.int(), r.int()}
		c.pending[at] = piece{data: r.bytes()}
	}
}

func (r *snapshot) floats() []float32 {
	n := r.count()
	if r.err != nil {
		return nil
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = math.Float32frombits(uint32(r.uint()))
	}
	return list
}

// plan repeats the planning of a call. The chunks tell how far it had come.
func (r *snapshot) plan(g *Group, c *call) {
	chunks, ready, out, pending := c.chunks, c.ready, c.out, c.pending
	c.chunks = nil
	g.prepare(c)
	c.pending = pending
	if len(chunks) != len(c.chunks) || len(out) != len(c.out) {
		r.err = fmt.Errorf("%s has %d chunks of %d bytes, want %d of %d", c.text(), len(chunks), len(out), len(c.chunks), c.whole*c.size())
		return
	}
	copy(c.out, out)
	c.left = 0
	for i, x := range chunks {
		ch := &c.chunks[i]
		ch.pc, ch.touched, ch.wide, ch.sums = x.pc, x.touched, x.wide, x.sums
		isOther := func(sum piece) bool { return len(sum.data) != c.messageBytes(i) }
		if ch.pc > len(c.plan(i)) || len(ch.sums) != open(c.plan(i)[:ch.pc]) || ch.wide != nil && len(ch.wide) != c.elements(ch) || slices.ContainsFunc(ch.sums, isOther) {
			r.err = fmt.Errorf("chunk %d of %s is at step %d of %d", i, c.text(), ch.pc, len(c.plan(i)))
			return
		}
		if ch.pc < len(c.plan(i)) && !c.isConfirmation(i) {
			c.left++
		}
	}
	for at, p := range c.pending {
		data := p.data
		if at.chunk >= len(chunks) || at.step >= len(c.plan(at.chunk)) || len(data) != c.messageBytes(at.chunk) {
			r.err = fmt.Errorf("%d bytes are no chunk %d of %s", len(data), at.chunk, c.text())
			return
		}
	}
	g.count(c)
	c.ready = ready
	if g.frozen {
		c.gen++
		return
	}
	for i := range c.chunks {
		plan := c.plan(i)
		if pc := c.chunks[i].pc; pc < len(plan) && plan[pc].do == send && (!c.isConfirmation(i) || c.state == holding) {
			g.sendRun(c, i)
		}
	}
}
