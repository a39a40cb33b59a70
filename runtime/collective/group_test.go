package collective

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// elems are the types that are reduced.
var elems = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Float16, tensor.BFloat16, tensor.Int8, tensor.Int16, tensor.Int32,
	tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64}

// drawn returns a value of random finite elements.
func drawn(r *rand.Rand, d tensor.DType, rows, row int) Value {
	b := aligned(rows * row * d.Size())
	for i := range rows * row {
		x := r.NormFloat64() * 100
		switch p := b[i*d.Size():]; d {
		case tensor.Float32:
			binary.LittleEndian.PutUint32(p, math.Float32bits(float32(x)))
		case tensor.Float64:
			binary.LittleEndian.PutUint64(p, math.Float64bits(x))
		case tensor.Float16:
			binary.LittleEndian.PutUint16(p, uint16(tensor.ToFloat16(float32(x))))
		case tensor.BFloat16:
			binary.LittleEndian.PutUint16(p, uint16(tensor.ToBFloat16(float32(x))))
		default:
			for k := range d.Size() {
				p[k] = byte(r.Uint32())
			}
		}
	}
	return Value{Rows: rows, Row: row, Data: b}
}

// drawnSpec returns a valid spec.
func drawnSpec(r *rand.Rand, ranks int) Spec {
	for {
		s := Spec{Kind: Kind(r.IntN(int(Enter))), Op: Op(r.IntN(int(numOps))), Elem: elems[r.IntN(len(elems))], Root: r.IntN(ranks), Algorithm: Algorithm(r.IntN(int(numAlgorithms)))}
		if s.Kind == Barrier {
			s.Algorithm = Auto
		} else if s.Elem == tensor.Float32 || r.IntN(8) == 0 {
			s.Elem, s.Codec = tensor.Float32, Codec(r.IntN(int(numCodecs)))
		}
		if s.Check() == nil {
			return s
		}
	}
}

// TestPlain: on any network all ranks have the bits of the plain computation, call by call.
func TestPlain(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		ranks := 1 + r.IntN(9)
		c := Config{Ranks: ranks, IfLost: IfLost(r.IntN(3)), Chunk: 8 + r.IntN(200), Eager: 1 + r.IntN(400)}
		for range 1 + r.IntN(3) {
			c.Streams = append(c.Streams, drawnSpec(r, ranks))
		}
		n := newNetwork(t, seed, c)
		n.twice, n.restarts = 0.1, r.IntN(2)*3
		const calls = 4
		values := make([][][]Value, len(c.Streams)) // by stream, call, rank
		for i, s := range c.Streams {
			for range calls {
				rows, row := r.IntN(40), r.IntN(12)
				var v []Value
				for range ranks {
					v = append(v, drawn(r, s.Elem, rows, row))
				}
				values[i] = append(values[i], v)
			}
		}
		// Each rank begins its calls at any time, with streams in any order.
		next := make([][]int, ranks)
		for i := range next {
			next[i] = make([]int, len(c.Streams))
		}
		for left := ranks * calls * len(c.Streams); left > 0; {
			rank, s := r.IntN(ranks), r.IntN(len(c.Streams))
			if k := next[rank][s]; k < calls {
				if err := n.groups[rank].Begin(s, values[s][k][rank]); err != nil {
					t.Fatal(err)
				}
				next[rank][s]++
				left--
			}
			for range r.IntN(20) {
				n.step()
			}
		}
		n.run()
		for i, s := range c.Streams {
			for k := range calls {
				want := s.Evaluate(values[i][k])
				for rank := range ranks {
					at := slices.IndexFunc(n.results[rank], func(x Result) bool { return x.Stream == i && x.Call == uint64(k) })
					if at < 0 {
						t.Fatalf("seed %d: %+v: rank %d of %d has no result of call %d; it awaits %v", seed, s, rank, ranks, k, n.groups[rank].Awaits(i, uint64(k)))
					}
					if got := n.results[rank][at]; got.Err != nil || !bytes.Equal(got.Data, want[rank]) || got.Ranks != ranks {
						t.Fatalf("seed %d: %+v: rank %d of %d: got %s, want %x", seed, s, rank, ranks, text(got), want[rank])
					}
				}
			}
		}
		for rank, g := range n.groups {
			for i := range g.streams {
				if len(g.streams[i].calls) > 0 || len(g.early) > 0 {
					t.Fatalf("seed %d: rank %d keeps %d calls and %d messages", seed, rank, len(g.streams[i].calls), len(g.early))
				}
			}
		}
	}
}

// TestDeaths: ranks die at any time. The remaining ones all have the same results, which are those of their
// participants.
func TestDeaths(t *testing.T) {
	repeated := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		ranks := 3 + r.IntN(7)
		c := Config{Ranks: ranks, IfLost: Repeat, Chunk: 8 + r.IntN(100), Eager: 1 + r.IntN(400)}
		for range 1 + r.IntN(2) {
			s := drawnSpec(r, ranks)
			s.Root = 0 // which does not die
			c.Streams = append(c.Streams, s)
		}
		n := newNetwork(t, seed, c)
		n.twice, n.restarts = 0.05, r.IntN(2)*3
		repeated += n.live(r, seed, 1+r.IntN((ranks-1)/2))
	}
	if repeated < 50 {
		t.Errorf("%d calls were repeated, want more", repeated)
	}
}

// live runs calls while ranks die, and returns how many results lack a rank.
func (n *network) live(r *rand.Rand, seed uint64, deaths int) (fewer int) {
	t, ranks, streams := n.t, len(n.groups), n.groups[0].streams
	const calls = 5
	values := make([][][]Value, len(streams))
	for i := range streams {
		for range calls {
			rows, row := r.IntN(30), 1+r.IntN(5)
			var v []Value
			for range ranks {
				v = append(v, drawn(r, streams[i].spec.Elem, rows, row))
			}
			values[i] = append(values[i], v)
		}
	}
	began := make([][]int, ranks)
	for i := range began {
		began[i] = make([]int, len(streams))
	}
	var unknown []int // dead, and not reported to all
	for left := true; left; {
		left = false
		for rank := range ranks {
			for s := range streams {
				if n.dead[rank] || began[rank][s] == calls {
					continue
				}
				left = true
				if r.IntN(8) == 0 {
					if err := n.groups[rank].Begin(s, values[s][began[rank][s]][rank]); err != nil {
						t.Fatal(err)
					}
					began[rank][s]++
				}
			}
		}
		for range r.IntN(30) {
			n.step()
		}
		if deaths > 0 && r.IntN(6) == 0 {
			if d := 1 + r.IntN(ranks-1); !n.dead[d] {
				n.kill(d)
				deaths--
				unknown = append(unknown, d)
			}
		}
		for _, d := range unknown { // each loss is reported when it is detected
			if rank := r.IntN(ranks); !n.dead[rank] {
				n.groups[rank].Down(d)
			}
		}
	}
	n.run()
	for _, d := range unknown {
		n.tellDown(d)
		n.run()
	}
	for i := range streams {
		for k := range calls {
			fewer += n.agree(seed, i, k, values[i][k])
		}
	}
	return fewer
}

// agree checks that the results of a call on the remaining ranks are those of some ranks that include all
// remaining ones, and returns whether any rank is missing in it.
func (n *network) agree(seed uint64, stream, call int, values []Value) (fewer int) {
	t, s := n.t, n.groups[0].streams[stream].spec
	got := map[int]Result{}
	for rank, g := range n.groups {
		if n.dead[rank] {
			continue
		}
		at := slices.IndexFunc(n.results[rank], func(x Result) bool { return x.Stream == stream && x.Call == uint64(call) })
		if at < 0 {
			t.Fatalf("seed %d: %+v: rank %d has no result of call %d; it is in epoch %v of %v and awaits %v", seed, s, rank, call, g.epoch, g.members, g.Awaits(stream, uint64(call)))
		}
		if got[rank] = n.results[rank][at]; got[rank].Err != nil {
			t.Fatalf("seed %d: %+v: rank %d: %v", seed, s, rank, got[rank].Err)
		}
	}
	members := n.membersOf(s, got, values)
	if members == nil {
		t.Fatalf("seed %d: %+v: call %d: %v is not what any members give", seed, s, call, got)
	}
	if len(members) < len(n.groups) {
		fewer = 1
	}
	return fewer
}

// membersOf finds the participants of a result: some ranks in order, including all live ones.
func (n *network) membersOf(s Spec, got map[int]Result, values []Value) []int {
	var dead []int
	for r := range n.groups {
		if n.dead[r] {
			dead = append(dead, r)
		}
	}
	for with := range 1 << len(dead) {
		var members []int
		for r := range n.groups {
			if i := slices.Index(dead, r); i < 0 || with>>i&1 == 1 {
				members = append(members, r)
			}
		}
		fits := true
		for rank, r := range got {
			fits = fits && r.Ranks == len(members) && bytes.Equal(n.wanted(s, members, rank, values), r.Data)
		}
		if fits {
			return members
		}
	}
	return nil
}

func (n *network) wanted(s Spec, members []int, rank int, values []Value) []byte {
	var v []Value
	for _, m := range members {
		v = append(v, values[m])
	}
	s.Root = 0
	return s.Evaluate(v)[slices.Index(members, rank)]
}

// begin makes all live ranks call the stream with a number of ones.
func (n *network) begin(count int) {
	for rank, g := range n.groups {
		if n.dead[rank] {
			continue
		}
		if err := g.Begin(0, ones(count)); err != nil {
			n.t.Fatal(err)
		}
	}
	n.collect()
}

func ones(count int) Value {
	x := make([]float32, count)
	for i := range x {
		x[i] = 1
	}
	return Value{Rows: 1, Row: count, Data: tensor.Raw(x)}
}

var sum32 = []Spec{{Kind: AllReduce, Elem: tensor.Float32, Algorithm: Ring}}

// errs returns the errors of a call on the ranks.
func (n *network) errs(call int) (list []error) {
	for rank := range n.groups {
		for _, r := range n.results[rank] {
			if r.Call == uint64(call) {
				list = append(list, r.Err)
			}
		}
	}
	return list
}

// TestMinority: one of two halves of a network stops, and both halves of four ranks do.
func TestMinority(t *testing.T) {
	n := newNetwork(t, 1, Config{Ranks: 5, Streams: sum32, IfLost: Repeat})
	n.begin(100)
	n.apart = func(from, to int) bool { return (from < 2) != (to < 2) }
	for rank, g := range n.groups {
		for other := range n.groups {
			if n.apart(rank, other) {
				g.Down(other)
			}
		}
	}
	n.run()
	for rank, g := range n.groups {
		if minority := errors.Is(g.Err(), ErrMinority); minority != (rank < 2) {
			t.Errorf("rank %d: %v", rank, g.Err())
		}
	}
	for rank := 2; rank < 5; rank++ {
		if r := n.results[rank]; len(r) != 1 || r[0].Err != nil || r[0].Ranks != 3 || view[float32](r[0].Data)[99] != 3 {
			t.Errorf("rank %d: %v", rank, r)
		}
	}
	n = newNetwork(t, 1, Config{Ranks: 4, Streams: sum32, IfLost: Repeat})
	n.begin(10)
	n.dead[2], n.dead[3] = true, true
	n.tellDown(2)
	n.tellDown(3)
	n.run()
	want := "not more than half of the ranks are left: 2 of 4"
	for _, err := range n.errs(0) {
		if !errors.Is(err, ErrMinority) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestFalselyLost: a live rank that was considered lost is told when it sends a message.
func TestFalselyLost(t *testing.T) {
	n := newNetwork(t, 3, Config{Ranks: 4, Streams: sum32, IfLost: Repeat})
	n.apart = func(from, to int) bool { return from == 3 || to == 3 }
	n.begin(8)
	n.groups[0].Down(3)
	n.run()
	n.apart = nil
	if err := n.groups[3].Begin(0, ones(8)); err != nil {
		t.Fatal(err)
	}
	n.groups[3].queueMessage(1, Message{Type: Ready, Call: 0, Epoch: n.groups[3].epoch, Length: 8})
	n.run()
	if !errors.Is(n.groups[3].Err(), ErrLeftOut) {
		t.Errorf("got %v", n.groups[3].Err())
	}
	if r := n.results[0]; len(r) != 1 || r[0].Err != nil || r[0].Ranks != 3 {
		t.Errorf("got %v", r)
	}
}

// TestFail: with the policy Fail, all calls end with the rank's number when a rank is lost.
func TestFail(t *testing.T) {
	n := newNetwork(t, 1, Config{Ranks: 3, Streams: sum32})
	n.begin(100)
	n.kill(1)
	n.tellDown(1)
	n.begin(1)
	for call := range 2 {
		list := n.errs(call)
		if len(list) != 2 {
			t.Fatalf("got %v", list)
		}
		for _, err := range list {
			var r *RankError
			if !errors.As(err, &r) || r.Rank != 1 || !errors.Is(err, ErrLost) {
				t.Errorf("call %d: %v", call, err)
			}
		}
	}
}

// TestMismatch: values of different sizes end the call on all ranks, and so does a rank that does not take
// part. The next call is not affected.
func TestMismatch(t *testing.T) {
	for seed := range uint64(40) {
		for _, a := range []Algorithm{Direct, Tree, Halving, Ring, Pairwise} {
			for _, what := range []error{ErrMismatch, ErrAborted, ErrNotFinite} {
				n := newNetwork(t, seed, Config{Ranks: 5, IfLost: Repeat, Streams: []Spec{{Elem: tensor.Float32, Algorithm: a, Finite: true}}, Chunk: 16, Eager: 40})
				for rank, g := range n.groups {
					v := ones(10)
					if rank == 3 && what == ErrMismatch {
						v = ones(11)
					} else if rank == 3 {
						binary.LittleEndian.PutUint32(v.Data[8:], math.Float32bits(float32(math.NaN())))
					}
					if rank == 3 && what == ErrAborted {
						if err := g.Abort(0); err != nil {
							t.Fatal(err)
						}
						continue
					}
					if err := g.Begin(0, v); err != nil {
						t.Fatal(err)
					}
				}
				n.begin(10)
				n.run()
				for rank := range n.groups {
					r := n.results[rank]
					var who *RankError
					if len(r) != 2 || !errors.Is(r[0].Err, what) || !errors.As(r[0].Err, &who) || r[1].Err != nil || view[float32](r[1].Data)[9] != 5 {
						t.Fatalf("seed %d: %v: rank %d: got %v, want %v and 5", seed, a, rank, r, what)
					}
				}
			}
		}
	}
}

// TestHostile: messages that are not in the plan are refused, with the sender's rank, and have no effect.
func TestHostile(t *testing.T) {
	g, err := New(Config{Ranks: 4, Streams: sum32, IfLost: Repeat, Chunk: 16})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Begin(0, ones(16)); err != nil {
		t.Fatal(err)
	}
	e := g.epoch
	report := (&report{make([]bool, 4), make([]uint64, 4), false, 0, Links{}, make([]progress, 1), nil}).appendSigned(nil)
	for _, tt := range []struct {
		want error
		m    Message
	}{
		{ErrMessage, Message{Stream: 1, Epoch: e}},
		{ErrMessage, Message{Stream: -1, Epoch: e}},
		{ErrMessage, Message{Type: numTypes, Epoch: e}},
		{ErrMessage, Message{Chunk: 99, Epoch: e, Length: 16, Algorithm: Ring}},
		{ErrMessage, Message{Chunk: -1, Epoch: e, Length: 16, Algorithm: Ring}},
		{ErrMessage, Message{Chunk: 1, Epoch: e, Length: 16, Algorithm: Ring, Data: make([]byte, 15)}},
		{ErrMessage, Message{Chunk: 1, Step: 2, Epoch: e, Length: 16, Algorithm: Ring, Data: make([]byte, 16)}},
		{ErrMessage, Message{Type: Ready, Epoch: e, Length: 16, Algorithm: Ring}},
		{ErrMessage, Message{Chunk: 1, Epoch: e, Length: 16, Algorithm: Tree, Data: make([]byte, 16)}},
		{ErrMessage, Message{Chunk: lastChunk, Epoch: e, Length: 16, Algorithm: Ring, Data: make([]byte, linksBytes+1)}},
		{ErrMessage, Message{Chunk: lastChunk, Epoch: e, Length: 16, Algorithm: Ring, Data: bytes.Repeat([]byte{255}, linksBytes)}},
		{ErrOrder, Message{Call: 1 << 40, Epoch: e}},
		{ErrMessage, Message{Type: Lost, Epoch: e}},
		{ErrMessage, Message{Type: Lost, Epoch: e, Data: append(bytes.Clone(report), 0)}},
		{ErrMessage, Message{Type: Lost, Epoch: e, Data: append([]byte{0, 0, 0, 1}, report[4:]...)}}, // a report that its sender is lost
		{ErrMessage, Message{Type: Decided, Epoch: e, Data: report}},
		{ErrMessage, Message{Type: Decided, Epoch: e, Data: []byte{0, 0, 0, 0, 255}}},
		{ErrOverflow, Message{Epoch: Epoch{e.Number + 1, 5}, Data: make([]byte, 10<<20)}},
	} {
		err := g.Receive(3, &tt.m)
		var r *RankError
		if !errors.Is(err, tt.want) || !errors.As(err, &r) || r.Rank != 3 {
			t.Errorf("%+v: got %v, want %v of rank 3", tt.m, err, tt.want)
		}
	}
	if err := g.Receive(4, &Message{}); !errors.Is(err, ErrMessage) {
		t.Errorf("got %v", err)
	}
	for i := range 1 << 20 {
		if err = g.Receive(2, &Message{Call: 3, Step: i, Epoch: e, Data: make([]byte, 100)}); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrOverflow) || g.Err() != nil {
		t.Errorf("got %v, %v", err, g.Err())
	}
	early := len(g.early)
	for range 3 { // as on other connections
		if err := g.Receive(2, &Message{Call: 3, Epoch: e, Data: make([]byte, 100)}); err != nil || len(g.early) != early {
			t.Errorf("an early message comes again: got %v, and %d messages are kept, want %d", err, len(g.early), early)
		}
	}
	if err := g.Abort(0); err != nil {
		t.Fatal(err)
	}
	g.fail(g.streams[0].calls[0], ErrAborted)
	for range 1 << 14 { // a rank that repeats requests for an ended call, and does not read the answers
		if err := g.Receive(1, &Message{Call: 0, Epoch: e}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(g.outbox[1].list); n > 2*maxReplies {
		t.Errorf("%d messages wait for a rank that takes none", n)
	}
}

// TestRandomMessages: no message makes a group panic.
func TestRandomMessages(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := Config{Ranks: 2 + r.IntN(5), IfLost: IfLost(r.IntN(3)), Chunk: 16, Eager: 64}
		c.Streams = []Spec{drawnSpec(r, c.Ranks), drawnSpec(r, c.Ranks)}
		if c.IfLost == Repeat && r.IntN(2) == 0 {
			c.Streams[1] = Spec{Kind: Enter, Elem: tensor.Uint8}
		}
		g, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			if s := r.IntN(2); r.IntN(8) == 0 {
				g.Begin(s, drawn(r, c.Streams[s].Elem, r.IntN(9), r.IntN(9)))
			}
			m := Message{Stream: r.IntN(2), Type: Type(r.IntN(int(numTypes))), Call: uint64(r.IntN(3)), Epoch: g.epoch, Chunk: r.IntN(6), Step: r.IntN(3), Length: uint64(r.IntN(80)), Data: make([]byte, r.IntN(24))}
			for i := range m.Data {
				m.Data[i] = byte(r.IntN(3))
			}
			if r.IntN(10) == 0 {
				m.Epoch.Number += uint32(r.IntN(3)) - 1
			}
			if s := g.find(m.Stream, m.Call); s != nil && r.IntN(4) > 0 {
				m.Length = uint64(s.whole)
				if m.Chunk < len(s.chunks) {
					m.Data = make([]byte, (s.chunks[m.Chunk].hi-s.chunks[m.Chunk].lo)*s.size())
				}
			}
			g.Receive(r.IntN(c.Ranks), &m)
			if r.IntN(3) == 0 {
				g.Pull(r.IntN(c.Ranks))
			}
			if r.IntN(30) == 0 {
				g.Down(r.IntN(c.Ranks))
			}
		}
	}
}

// TestBytes: a rank sends the lower bound of the ring, and at most 1/200 more.
func TestBytes(t *testing.T) {
	for _, p := range []int{2, 3, 4, 7, 8} {
		for _, a := range []Algorithm{Ring, Halving, Pairwise} {
			if a == Halving && p&(p-1) != 0 {
				continue
			}
			const size = 8 << 20
			n := newNetwork(t, 1, Config{Ranks: p, Streams: []Spec{{Elem: tensor.Float32, Algorithm: a}}})
			n.begin(size / 4)
			n.run()
			for rank, sent := range n.sent {
				if ratio := float64(sent) / LowerBound(size, p); ratio > 1.005 || ratio < 1 {
					t.Errorf("%v on %d ranks: rank %d sends %.5f of the bound", a, p, rank, ratio)
				}
			}
		}
	}
}

// TestChoose shows the chosen algorithms.
func TestChoose(t *testing.T) {
	near, far, slow := Links{}, Links{Latency: 50 * time.Millisecond, Bandwidth: 125e6}, Links{Bandwidth: 1e6}
	busy, farther := Links{Latency: 5 * time.Millisecond}, Links{Latency: 100 * time.Millisecond, Bandwidth: 125e6}
	whole, shared, crowded := Links{Sharing: 1}, Links{Sharing: 2}, Links{Sharing: 16}
	sum, half := Spec{Elem: tensor.Float32}, Spec{Elem: tensor.BFloat16}
	for _, tt := range []struct {
		spec    Spec
		n, p    int
		links   Links
		want    Algorithm
		comment string
	}{
		{sum, 4 << 10, 2, near, Direct, "one round"},
		{sum, 4 << 10, 8, near, Direct, "one round of 28 KiB"},
		{sum, 4 << 10, 8, slow, Pairwise, "a quarter of the bytes"},
		{sum, 61 << 10, 4, near, Pairwise, "half of the bytes, and few enough at the same time"},
		{sum, 61 << 10, 4, far, Direct, "one round"},
		{sum, 1 << 20, 2, near, Direct, "one round"},
		{sum, 1<<20 + 4, 8, near, Pairwise, "four rounds less, though many send at the same time"},
		{sum, 4 << 20, 8, near, Halving, "one rank sends to each"},
		{sum, 4 << 20, 8, far, Pairwise, "two rounds"},
		{sum, 64 << 20, 2, near, Halving, "each adds a half"},
		{sum, 64 << 20, 4, near, Halving, "few ranks"},
		{sum, 8<<20 - 4, 8, near, Halving, "small segments"},
		{sum, 8 << 20, 8, near, Ring, "large segments"},
		{sum, 64 << 20, 8, near, Ring, "large segments"},
		{sum, 64 << 20, 8, busy, Ring, "chunks come while others of a segment are sent, though late"},
		{sum, 64 << 20, 8, far, Ring, "the same"},
		{sum, 64 << 20, 8, farther, Pairwise, "chunks come later than a segment is sent"},
		{sum, 64 << 20, 6, near, Ring, "no power of two"},
		{sum, 1 << 20, 6, far, Pairwise, "two rounds, and those of the ring would be ten"},
		{half, 64 << 20, 6, near, Pairwise, "sums in float32"},
		{sum, 4 << 10, 32, near, Pairwise, "a sixteenth of the bytes"},
		{sum, 4 << 10, 8, whole, Tree, "two messages of a rank"},
		{sum, 4 << 10, 2, whole, Direct, "one message"},
		{sum, 4 << 10, 32, crowded, Tree, "two messages of a rank"},
		{sum, 64 << 10, 32, shared, Tree, "a rank waits twice"},
		{sum, 1 << 20, 4, shared, Pairwise, "a quarter of the root's bytes"},
		{sum, 230 << 10, 32, crowded, Tree, "two messages of a rank"},
		{sum, 4 << 20, 32, Links{Sharing: 2}, Halving, "the root of a tree sends more than others compute"},
		{sum, 4 << 10, 2, shared, Direct, "one message"},
		{half, 4 << 10, 8, crowded, Direct, "seven messages, which the other way are fourteen"},
		{sum, 64 << 20, 1, near, Direct, "nobody else"},
		{Spec{Kind: Broadcast, Elem: tensor.Float32}, 1 << 20, 16, near, Tree, "fewer bytes from the root"},
		{Spec{Kind: Broadcast, Elem: tensor.Float32}, 1 << 20, 16, far, Direct, "one round"},
	} {
		if got := tt.spec.Choose(tt.n, tt.p, tt.links); got != tt.want {
			t.Errorf("%v of %d bytes on %d ranks, %+v: got %v, want %v: %s", tt.spec.Kind, tt.n, tt.p, tt.links, got, tt.want, tt.comment)
		}
	}
}

// TestCheck: the error of an invalid spec tells what is valid.
func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		s    Spec
		want string
	}{
		{Spec{Elem: tensor.String}, "elements are string, want a type of fixed size"},
		{Spec{Elem: tensor.Bool}, "there is no sum of bool"},
		{Spec{Elem: tensor.Int32, Op: Mean}, "there is no mean of int32"},
		{Spec{Elem: tensor.Float16, Algorithm: Ring}, "algorithm ring does not compute that, want one of [direct pairwise]"},
		{Spec{Kind: Broadcast, Elem: tensor.Bool, Algorithm: Ring}, "want one of [direct tree]"},
		{Spec{Kind: 17, Elem: tensor.Bool}, "there is no such collective"},
	} {
		if err := tt.s.Check(); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, want %s", tt.s, err, tt.want)
		}
	}
	if _, err := New(Config{Ranks: 2, Streams: []Spec{{Kind: Broadcast, Elem: tensor.Int8, Root: 2}}}); err == nil {
		t.Error("a root that is no rank is taken")
	}
}

// TestWords: the numbers of a message contain all its fields.
func TestWords(t *testing.T) {
	m := Message{Type: LeftOut, Call: 1<<61 + 5, Epoch: Epoch{7, 1 << 30}, Chunk: maxWord, Step: 1<<20 + 1, Length: 1 << 40, Algorithm: Pairwise}
	w := m.Words()
	var got Message
	if err := got.SetWords(w[:]); err != nil || fmt.Sprint(got) != fmt.Sprint(m) {
		t.Errorf("got %+v, %v, want %+v", got, err, m)
	}
	if err := got.SetWords(w[:3]); !errors.Is(err, ErrMessage) {
		t.Errorf("got %v", err)
	}
	w[5] |= 15
	if err := got.SetWords(w[:]); !errors.Is(err, ErrMessage) {
		t.Errorf("got %v", err)
	}
	w = m.Words()
	w[0] = 1 << 31
	if err := got.SetWords(w[:]); !errors.Is(err, ErrMessage) {
		t.Errorf("got %v", err)
	}
}

// earlierEnds returns the lengths of a snapshot in earlier versions, which had no links at the end, before that no ranks that ask,
// and at first no signatures.
func earlierEnds(g *Group, snapshot []byte) []int {
	withoutLinks := len(snapshot) - linksBytes*len(g.kept())
	withoutAsked := withoutLinks
	for _, ticket := range g.asked {
		withoutAsked -= len(binary.AppendUvarint(nil, ticket))
	}
	withoutSignatures := withoutAsked
	for _, h := range g.known() {
		withoutSignatures -= 1 + len(h.signature)
	}
	return []int{withoutLinks, withoutAsked, withoutSignatures}
}

// TestSnapshotDamaged: a snapshot with any change causes no panic.
func TestSnapshotDamaged(t *testing.T) {
	n := newNetwork(t, 5, Config{Ranks: 4, IfLost: Repeat, Chunk: 16, Eager: 40, Streams: []Spec{{Elem: tensor.Float32}, {Elem: tensor.BFloat16}}})
	n.begin(30)
	for range 40 {
		n.step()
	}
	n.groups[1].Down(3)
	good, err := n.groups[1].AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	again := func(b []byte) error {
		g, err := New(n.groups[1].config)
		if err != nil {
			t.Fatal(err)
		}
		return g.UnmarshalBinary(b)
	}
	if err := again(good); err != nil {
		t.Fatal(err)
	}
	ends := earlierEnds(n.groups[1], good)
	for i := range good {
		if err := again(good[:i]); err == nil && !slices.Contains(ends, i) {
			t.Errorf("%d of %d bytes are taken", i, len(good))
		}
		for _, x := range []byte{1, 0x7f, 0x80, 0xff} {
			b := bytes.Clone(good)
			b[i] ^= x
			again(b)
		}
	}
}
