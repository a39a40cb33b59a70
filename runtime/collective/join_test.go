package collective

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// training is ranks that make steps. Each step has a state that depends on the previous state and on the
// values of all ranks.
type training struct {
	*network
	steps  int
	ranks  []trainer
	after  map[uint64][]byte // by step: the state
	by     map[uint64]int    // the number of ranks with that state
	joined int
	wrote  int // states
}

// trainer is one rank's program.
type trainer struct {
	state   []byte // the number of the step, and the combination of all values so far
	doing   int    // the stream with the awaited result; -1: none
	results int    // the number of the network's results that it has processed
}

var stepStreams = []Spec{{Kind: AllGather, Elem: tensor.Uint8}, {Kind: Enter, Elem: tensor.Uint8}, {Kind: AllReduce, Elem: tensor.Uint32}}

func newTraining(t *testing.T, seed uint64, ranks, steps int) *training {
	c := Config{Ranks: ranks, IfLost: Repeat, Streams: stepStreams, Chunk: 16, Eager: 40, Life: 1}
	c.Calls = 4 // less than the steps: a joining rank is sent calls whose numbers it does not know yet
	if seed%2 == 0 {
		c.Eager = 10 // less than the size of a state
	}
	x := &training{network: newNetwork(t, seed, c), steps: steps, ranks: make([]trainer, ranks), after: map[uint64][]byte{}, by: map[uint64]int{}}
	for r := range x.ranks {
		x.ranks[r] = trainer{state: initial(), doing: -1}
	}
	return x
}

// initial returns the state before the first step.
func initial() []byte { return make([]byte, 8+20) }

func (tr *trainer) step() uint64 { return binary.LittleEndian.Uint64(tr.state) }

// advance runs a rank's program until it waits.
func (x *training) advance(rank int) {
	tr, g := &x.ranks[rank], x.groups[rank]
	for x.goesOn(rank, tr, g) {
	}
}

func (x *training) goesOn(rank int, tr *trainer, g *Group) bool {
	begin := func(stream int, v Value) bool {
		if err := g.Begin(stream, v); err != nil {
			x.t.Fatal(err)
		}
		tr.doing = stream
		return true
	}
	if tr.doing < 0 {
		if tr.step() == uint64(x.steps) {
			return false
		}
		if g.NeedsState() {
			return begin(1, Value{State: func() ([]byte, error) { x.wrote++; return tr.state, nil }})
		}
		return begin(1, Value{})
	}
	x.collect()
	if tr.results == len(x.results[rank]) {
		return false
	}
	r := x.results[rank][tr.results]
	tr.results++
	if r.Err != nil {
		x.t.Fatalf("rank %d at step %d: %v%s", rank, tr.step(), r.Err, x.text())
	}
	switch tr.doing {
	case 1:
		if r.Data != nil {
			tr.state = bytes.Clone(r.Data)
			x.joined++
		}
		return begin(0, Value{Rows: 1, Row: 3, Data: []byte{byte(rank), byte(tr.step()), 7}})
	case 0:
		v := aligned(20)
		for i := range 5 {
			binary.LittleEndian.PutUint32(v[4*i:], uint32(rank+1)*uint32(tr.step()+1)+uint32(len(r.Data)*i))
		}
		return begin(2, Value{Rows: 5, Row: 1, Data: v})
	}
	x.made(rank, tr, r.Data)
	return true
}

// made completes a step, after which all ranks must have the same state.
func (x *training) made(rank int, tr *trainer, sum []byte) {
	tr.doing = -1
	next := tr.step() + 1
	for i, b := range sum {
		tr.state[8+i] = tr.state[8+i]*31 + b
	}
	binary.LittleEndian.PutUint64(tr.state, next)
	x.by[next]++
	if have := x.after[next]; x.by[next] == 1 {
		x.after[next] = bytes.Clone(tr.state)
	} else if !bytes.Equal(have, tr.state) {
		x.t.Fatalf("after step %d rank %d has %x, another one %x", next, rank, tr.state, have)
	}
}

// beginAgain restarts a dead rank without its state.
func (x *training) beginAgain(rank int) {
	c := x.groups[rank].config
	c.Life++
	g, err := New(c)
	if err != nil {
		x.t.Fatal(err)
	}
	x.flying = slices.DeleteFunc(x.flying, func(p packet) bool { return p.to == rank || p.from == rank })
	for r, g := range x.groups {
		if !x.dead[r] {
			g.Restarted(rank)
		}
	}
	x.collect()
	x.groups[rank], x.dead[rank], x.results[rank] = g, false, nil
	x.ranks[rank] = trainer{state: initial(), doing: -1}
}

// TestJoin: ranks die, and restart without their state, at any time. They receive the state, and all ranks
// have the same state after each step.
func TestJoin(t *testing.T) {
	joined := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		ranks := 3 + r.IntN(5)
		x := newTraining(t, seed, ranks, 12)
		x.twice, x.restarts = 0.05, r.IntN(2)*2
		faults := r.IntN(8)
		for turn := 0; !x.over(); turn++ {
			if turn > 100000 {
				t.Fatalf("seed %d: it does not end: %s", seed, x.text())
			}
			if rank := r.IntN(ranks); !x.dead[rank] {
				x.advance(rank)
			} else if r.IntN(10) == 0 {
				x.tellDown(rank)
			}
			for range r.IntN(8) {
				x.step()
			}
			if faults > 0 && r.IntN(40) == 0 && x.fault(r) {
				faults--
			}
		}
		joined += x.joined
	}
	if joined < 100 {
		t.Errorf("ranks have joined %d times, want more", joined)
	}
}

// fault kills a rank without which the others can continue, or restarts a dead one, and reports whether it has.
func (x *training) fault(r *rand.Rand) bool {
	rank := r.IntN(len(x.ranks))
	if x.dead[rank] {
		x.beginAgain(rank)
		return true
	}
	safe, most := 0, 0 // live members with the state; and the largest number of members that some rank counts
	for other, g := range x.groups {
		if most = max(most, len(g.Members())); !x.dead[other] && other != rank && !g.waits && x.ranks[other].step() > 0 {
			safe++
		}
	}
	if 2*safe <= most {
		return false
	}
	x.kill(rank)
	x.by[x.ranks[rank].step()]-- // states that only this rank had do not count
	if r.IntN(2) == 0 {
		x.beginAgain(rank)
	}
	return true
}

// over reports whether all live ranks have made all steps, or are too late, as no rank begins the step in
// which they would join, or one before which they could be admitted.
func (x *training) over() bool {
	ended := false
	for rank := range x.ranks {
		ended = ended || !x.dead[rank] && x.ranks[rank].step() == uint64(x.steps)
	}
	for rank := range x.ranks {
		late := x.groups[rank].admitted[rank].since >= uint64(x.steps) || x.groups[rank].waits && ended
		if !x.dead[rank] && !late && x.ranks[rank].step() < uint64(x.steps) {
			return false
		}
	}
	return true
}

func (x *training) text() (s string) {
	for rank, g := range x.groups {
		s += fmt.Sprintf("\nrank %d: dead %v, step %d, waits for a result of stream %d, epoch %v of %v, waits %v, frozen %v, admitted %v, lost %v, joins %v", rank, x.dead[rank], x.ranks[rank].step(), x.ranks[rank].doing, g.epoch, g.members, g.waits, g.frozen, g.admitted, g.lost, g.joins)
		for i := range g.streams {
			for _, c := range g.streams[i].calls {
				s += fmt.Sprintf("; call %d of stream %d in state %d", c.number, i, c.state)
			}
		}
	}
	return s
}

// TestOneWelcome: a rank that joins is a member only when more than half of the members of the last epoch have
// welcomed it. One rank alone cannot give it a membership of its own.
func TestOneWelcome(t *testing.T) {
	g, err := New(Config{Ranks: 4, Self: 3, IfLost: Repeat, Life: 1, Streams: []Spec{{Kind: Enter, Elem: tensor.Uint8}}})
	if err != nil {
		t.Fatal(err)
	}
	g.handleLeftOut(0)
	epoch := Epoch{Number: g.epoch.Number + 1}
	w := writer{appendRanks(nil, []bool{true, true, true, true})}
	w.uint(3)
	w.bool(false)
	w.links(Links{})
	w.admitted(make([]admission, 4))
	for i, waits := range []bool{true, false} {
		if err := g.join(i, &Message{Type: Welcome, Call: g.ticket, Epoch: epoch, Data: w.b}); err != nil {
			t.Fatal(err)
		}
		if g.waits != waits {
			t.Fatalf("after %d welcomes of 3 members it waits: %v, want %v", i+1, g.waits, waits)
		}
	}
}

// TestWelcomeOfOne: an epoch with one member has no successor, so a rank that claims that the last one had one is lying.
func TestWelcomeOfOne(t *testing.T) {
	for _, of := range []uint64{0, 1} {
		g := waiting(t)
		err := g.Receive(0, welcomeOf(g, of, 0))
		if !errors.Is(err, ErrMessage) || !g.waits {
			t.Errorf("%d members: %v, and it waits: %v", of, err, g.waits)
		}
	}
}

// TestHugeState: a rank that joins refuses a state of a size that nobody has, also before it is a member, when its call begins
// with the size that a member has told.
func TestHugeState(t *testing.T) {
	g := waiting(t)
	if err := g.Begin(0, Value{}); err != nil {
		t.Fatal(err)
	}
	const number = 5
	m := welcomeOf(g, 3, number)
	err := g.Receive(0, &Message{Type: Data, Call: number, Epoch: m.Epoch, Length: 1 << 61})
	for _, from := range []int{0, 1} {
		if err := g.Receive(from, m); err != nil {
			t.Fatal(err)
		}
	}
	if !errors.Is(err, ErrOverflow) || g.waits {
		t.Errorf("%v, and it waits: %v", err, g.waits)
	}
}

// waiting returns a group of four ranks whose rank 3 waits for its admission.
func waiting(t *testing.T) *Group {
	t.Helper()
	g, err := New(Config{Ranks: 4, Self: 3, IfLost: Repeat, Life: 1, Streams: []Spec{{Kind: Enter, Elem: tensor.Uint8}}})
	if err != nil {
		t.Fatal(err)
	}
	g.handleLeftOut(0)
	return g
}

// welcomeOf returns a welcome by a rank of an epoch that had so many members, from a call of Enter on.
func welcomeOf(g *Group, of, since uint64) *Message {
	w := writer{appendRanks(nil, []bool{true, true, true, true})}
	w.uint(of)
	w.bool(false)
	w.links(Links{})
	w.admitted([]admission{3: {since: since}})
	return &Message{Type: Welcome, Call: g.ticket, Epoch: Epoch{Number: g.epoch.Number + 1}, Data: w.b}
}
