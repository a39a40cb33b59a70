package collective

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Config configures a Group.
type Config struct {
	Self, Ranks int // this rank, and the number of ranks
	Streams     []Spec
	IfLost      IfLost
	View        uint32   // a hash of the identities of the ranks: only groups with equal hashes communicate
	Life        uint64   // larger each time that the rank restarts without its state; less than 1<<62
	Identity    Identity // with which the ranks sign their reports at the end of an epoch; nil on all ranks: they believe each other

	Chunk int // maximum bytes of a chunk; 0: [DefaultChunk]
	Eager int // bytes that a rank sends to one that has not begun the call; 0: [DefaultEager]
	Calls int // calls that may wait on a stream; 0: [DefaultCalls]
}

// Defaults of a configuration.
const (
	DefaultChunk = 512 << 10
	DefaultEager = 64 << 10
	DefaultCalls = 1024
)

// A Group is one rank's part in the collectives of some ranks. It is not safe for concurrent use.
type Group struct {
	config  Config
	epoch   Epoch
	members []int // ranks, in order
	at      []int // by rank: its position among members, or -1
	streams []stream
	err     error // with which all calls fail

	outbox []queue // by rank: the messages for it
	pulled *sent   // the chunk that was pulled last: the next call completes its step
	done   []Result
	early  []earlyMessage
	held   []backlog // by rank: its early messages

	refused []error // of early messages

	links Links // that this rank has measured

	agreement
	joining
	scratch []uint64
}

// stream is the calls of one place of a program.
type stream struct {
	spec       Spec
	next       uint64     // the number of the next call that begins here
	first      uint64     // of the first in which this rank takes part
	calls      []*call    // unconfirmed calls, in order; the last is next-1
	recoveries []recovery // of calls whose result some members have
	fails      []failure
	failing    uint64    // the call after the last one whose result was delivered: calls from here on have failed or are open
	agreed     [2]agreed // about links, by the number of the call modulo 2

	spare *tensor.Memory // the memory of the last result, for the next one: allocating new pages takes as long as the sum

	lost    []float32 // with feedback: the rounding error of the rank's last value
	sumLost []float32 // the rounding errors of the last sum, where this rank rounded it
}

// failure is one of the latest calls that failed here.
type failure struct {
	call uint64
	err  error
}

// failureOf returns the error of a call that failed here, or nil if it did not fail or is forgotten.
func (s *stream) failureOf(call uint64) error {
	for _, f := range s.fails {
		if f.call == call {
			return f.err
		}
	}
	return nil
}

// maxFails is the number of failed calls that a stream remembers: no rank has more unconfirmed calls.
const maxFails = 4

// Value is a rank's value for a call. Data are its elements, little endian, at an address that is aligned for
// their type. If Memory is nil, they are copied; otherwise the group holds a reference to it, and the data must
// not be changed.
type Value struct {
	Rows, Row int // the size of the first axis, and how many elements a row has
	Data      []byte
	Memory    *tensor.Memory

	// State, if not nil, returns the value of a call of [Enter] in place of Data, on the rank that must give it. Until the result of the
	// call is delivered, it must return the same.
	State func() ([]byte, error)
}

// Result is the result of a call. Data are never changed; if Memory is not nil, it holds them, and the receiver
// of the result gets a reference to it.
type Result struct {
	Stream int
	Call   uint64
	Value
	Ranks int // the number of participants
	Err   error
}

// New returns a group in its first epoch, of which all ranks are members.
func New(c Config) (*Group, error) {
	switch {
	case c.Ranks < 1 || c.Self < 0 || c.Self >= c.Ranks:
		return nil, fmt.Errorf("collective: rank %d of %d", c.Self, c.Ranks)
	case c.IfLost >= numIfLost:
		return nil, fmt.Errorf("collective: %v: want %v, %v or %v", c.IfLost, Fail, Repeat, Wait)
	case tensor.BigEndian:
		return nil, errors.New("collective: machines that keep the upper byte first cannot take part")
	}
	c.Chunk, c.Eager, c.Calls = orDefault(c.Chunk, DefaultChunk), orDefault(c.Eager, DefaultEager), orDefault(c.Calls, DefaultCalls)
	g := &Group{
		config: c, at: make([]int, c.Ranks), outbox: make([]queue, c.Ranks), held: make([]backlog, c.Ranks),
		agreement: newAgreement(c.Ranks), epoch: Epoch{0, c.View},
		joining: joining{enter: -1, admitted: make([]admission, c.Ranks), asked: make([]uint64, c.Ranks)},
	}
	for i := range c.Streams {
		s := &c.Streams[i]
		if err := s.Check(); err != nil {
			return nil, fmt.Errorf("collective: stream %d: %w", i, err)
		}
		if s.Root >= c.Ranks {
			return nil, fmt.Errorf("collective: stream %d: the root is rank %d of %d", i, s.Root, c.Ranks)
		}
		if s.Kind == Enter {
			if g.enter >= 0 || c.IfLost != Repeat {
				return nil, fmt.Errorf("collective: stream %d: want one %v, where ranks that are lost are done without", i, s.Kind)
			}
			g.enter = i
		}
		g.streams = append(g.streams, stream{spec: *s})
	}
	all := make([]int, c.Ranks)
	for r := range all {
		all[r] = r
	}
	g.enterEpoch(all)
	return g, nil
}

func orDefault(x, otherwise int) int {
	if x <= 0 {
		return otherwise
	}
	return x
}

// enterEpoch begins the epoch of these members.
func (g *Group) enterEpoch(members []int) {
	g.members = members
	for r := range g.at {
		g.at[r] = -1
	}
	h := fnv.New32a()
	fmt.Fprint(h, g.epoch, members)
	for i, r := range members {
		g.at[r] = i
	}
	g.epoch = Epoch{g.epoch.Number + 1, h.Sum32() & maxWord}
}

// Members returns the ranks that take part, in order. The slice belongs to the group.
func (g *Group) Members() []int { return g.members }

// Epoch returns the present membership.
func (g *Group) Epoch() Epoch { return g.epoch }

// Err returns the error with which all calls fail from now on, or nil.
func (g *Group) Err() error { return g.err }

// Begin calls a stream's collective with this rank's value. [Group.Done] returns the result, in the order of
// the stream's calls.
func (g *Group) Begin(stream int, v Value) error {
	g.completeSend()
	s := &g.streams[stream]
	size := s.spec.Elem.Size()
	switch {
	case len(s.calls) >= g.config.Calls:
		return fmt.Errorf("%w: %d calls wait", ErrOverflow, len(s.calls))
	case v.Rows < 0 || v.Row < 0 || s.spec.Kind != Barrier && len(v.Data) != v.Rows*v.Row*size:
		return fmt.Errorf("%d bytes, want %d rows of %d elements of %d", len(v.Data), v.Rows, v.Row, size)
	}
	if stream == g.enter {
		g.admitAsked()
	}
	c := g.add(stream)
	if c.isEnter() && (len(v.Data) > 0 || v.State != nil) {
		v = Value{State: v.State, Data: g.withNumbers(v.Data)}
		v.Rows, v.Row = len(v.Data), 1
	}
	if n := v.Rows * v.Row; s.spec.Feedback && len(s.lost) != n {
		s.lost = make([]float32, n)
	}
	c.setContribution(v, s.lost)
	if s.spec.Finite && !finite(s.spec.Elem, v.Data) {
		c.aborted = ErrNotFinite
	}
	g.startNext(stream)
	return nil
}

// Abort counts a call of a stream in which this rank does not take part: it fails on all ranks.
func (g *Group) Abort(stream int) error {
	g.completeSend()
	if s := &g.streams[stream]; len(s.calls) >= g.config.Calls {
		return fmt.Errorf("%w: %d calls wait", ErrOverflow, len(s.calls))
	}
	g.add(stream).aborted = ErrAborted
	g.startNext(stream)
	return nil
}

func (g *Group) add(stream int) *call {
	s := &g.streams[stream]
	c := &call{stream: stream, spec: &s.spec, number: s.next, turn: s.next}
	if s.next++; g.enter >= 0 && stream != g.enter {
		c.turn = max(g.streams[g.enter].next, 1) - 1
	}
	s.calls = append(s.calls, c)
	return c
}

// Calls returns how many calls of a stream have begun here: the number of the next one.
func (g *Group) Calls(stream int) uint64 { return g.streams[stream].next }

// Done returns the next result, if there is one.
func (g *Group) Done() (Result, bool) {
	g.completeSend()
	if len(g.done) == 0 {
		return Result{}, false
	}
	r := g.done[0]
	g.done = g.done[1:]
	if len(g.done) == 0 {
		g.done = nil
	}
	return r, true
}

// Awaits returns the ranks for which a call waits: those with the next message of some chunk's plan, or those
// that have not reported the lost ranks yet.
func (g *Group) Awaits(stream int, number uint64) (ranks []int) {
	c := g.find(stream, number)
	if g.waits || g.err != nil {
		return nil
	}
	if g.frozen {
		return slices.DeleteFunc(g.live(g.lost), func(r int) bool { return g.matches(g.heard[r]) })
	}
	if c == nil || c.state != working && c.state != holding {
		return nil
	}
	waits := make([]bool, len(c.members))
	for i := range c.chunks {
		if plan := c.plan(i); c.chunks[i].pc < len(plan) && plan[c.chunks[i].pc].do.receives() {
			waits[plan[c.chunks[i].pc].peer] = true
		}
	}
	for i, w := range waits {
		if w {
			ranks = append(ranks, c.members[i])
		}
	}
	return ranks
}

// Ask asks the ranks for which a call waits whether they still take part. A rank that has come back with an old
// state thereby learns the decisions of the others.
func (g *Group) Ask(stream int, number uint64) {
	g.completeSend()
	for _, r := range g.Awaits(stream, number) {
		ask := Message{Stream: stream, Type: Ask, Call: number, Epoch: g.epoch}
		if c := g.find(stream, number); c != nil && !g.frozen {
			ask.Algorithm = c.algorithm
		}
		g.reply(r, ask)
	}
}

// find returns an open call, or nil.
func (g *Group) find(stream int, number uint64) *call {
	calls := g.streams[stream].calls
	if len(calls) == 0 || number < calls[0].number || number-calls[0].number >= uint64(len(calls)) {
		return nil
	}
	return calls[number-calls[0].number]
}

// startNext starts the first waiting call, if earlier calls have their results and at most one of them is
// unconfirmed.
func (g *Group) startNext(stream int) {
	s := &g.streams[stream]
	for i, c := range s.calls {
		switch {
		case c.state == queued && g.err != nil: // also between two epochs: none follows
			g.fail(c, g.err)
			return
		case c.state == queued && i < 2 && (i == 0 || s.calls[0].delivered) && !g.frozen:
			if c.isEnter() && !g.hasSize(c) {
				g.requestState(c)
			} else {
				g.start(c)
			}
			return
		case c.state == queued:
			return
		}
	}
}

// stop ends all present and future calls.
func (g *Group) stop(err error) {
	if g.err != nil {
		return
	}
	g.err = err
	for i := range g.streams {
		for _, c := range append([]*call(nil), g.streams[i].calls...) {
			g.fail(c, err)
		}
	}
	g.early, g.held = nil, make([]backlog, g.config.Ranks)
}

// fail ends a call with an error.
func (g *Group) fail(c *call, err error) {
	if !c.delivered {
		c.delivered = true
		g.done = append(g.done, Result{Stream: c.stream, Call: c.number, Err: err})
	}
	s := &g.streams[c.stream]
	if len(s.fails) == maxFails {
		s.fails = s.fails[1:]
	}
	s.fails = append(s.fails, failure{c.number, err})
	g.removeCall(c)
}

// failAll ends a call here and on the other ranks, where it cannot succeed without this one.
func (g *Group) failAll(c *call, err error) {
	for _, r := range g.members {
		if r != g.config.Self {
			g.queueMessage(r, g.failed(c.stream, c.number, err))
		}
	}
	g.fail(c, err)
}

// removeCall removes a call that has ended.
func (g *Group) removeCall(c *call) {
	s := &g.streams[c.stream]
	if !c.isEnter() && c.memory != nil {
		s.spare.Release()
		s.spare, c.memory = c.memory, nil
	}
	c.release()
	for len(s.calls) > 0 && s.calls[0].state == over {
		s.calls[0] = nil
		s.calls = s.calls[1:]
	}
	if len(s.calls) == 0 {
		s.calls = nil
	}
	g.startNext(c.stream)
}
