package collective

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// scales are orders of magnitude of elements, from the smallest to the largest.
var scales = []float64{math.SmallestNonzeroFloat32, 1e-39, 1e-30, 1, 1e20, 1e38}

// TestRound: the error of an element is at most 1/127 of the largest of its block for int8, and 1/256 of itself
// for bfloat16. Rounded values are unchanged by rounding.
func TestRound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 130 {
		for _, scale := range scales {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32((2*r.Float64() - 1) * scale)
			}
			for _, c := range []Codec{Exact, BFloat16, Int8} {
				y := append([]float32(nil), x...)
				c.Round(y)
				for i := range y {
					if lost, most := math.Abs(float64(x[i]-y[i])), mostLost(c, x, i); lost > most || math.IsNaN(lost) {
						t.Fatalf("%v: element %d of %v is %g, %g is lost, want %g at most", c, i, x, y[i], lost, most)
					}
				}
				z := append([]float32(nil), y...)
				c.Round(z)
				if !bytes.Equal(tensor.Raw(z), tensor.Raw(y)) {
					t.Fatalf("%v: %v is %v when it is rounded again", c, y, z)
				}
			}
		}
	}
}

// mostLost returns the maximum rounding error of an element.
func mostLost(c Codec, x []float32, i int) (most float64) {
	switch c {
	case BFloat16:
		return math.Max(math.Abs(float64(x[i]))/256, 1e-40)
	case Int8:
		from := i / block * block
		for _, v := range x[from:min(from+block, len(x))] {
			most = math.Max(most, math.Abs(float64(v)))
		}
		return math.Max(most/127, 1e-38)
	}
	return 0
}

// TestRoundNotFinite: an element that is not finite makes its block NaN, and no other.
func TestRoundNotFinite(t *testing.T) {
	for _, bad := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		x := make([]float32, 3*block)
		for i := range x {
			x[i] = 1
		}
		x[block+5] = float32(bad)
		Int8.Round(x)
		for i, v := range x {
			if isBad := v != v; isBad != (i/block == 1) || !isBad && v != 1 {
				t.Errorf("with %g element %d is %g", bad, i, v)
			}
		}
	}
}

// TestFeedback: rounding errors are sent later. So sums of small numbers beside large ones become right in
// time, on all ranks alike, also if one is restored meanwhile; without feedback they are lost.
func TestFeedback(t *testing.T) {
	const ranks, calls = 3, 100
	for _, c := range []Codec{BFloat16, Int8} {
		for _, feedback := range []bool{true, false} {
			n := newNetwork(t, 1, Config{Ranks: ranks, Streams: []Spec{{Elem: tensor.Float32, Codec: c, Feedback: feedback}}})
			n.restarts = 2
			var total [2]float64
			for range calls {
				for _, g := range n.groups {
					if err := g.Begin(0, Value{Rows: 1, Row: 2, Data: tensor.Raw([]float32{100, 0.3})}); err != nil {
						t.Fatal(err)
					}
				}
				n.run()
				first := n.results[0][len(n.results[0])-1]
				for rank := range ranks {
					if r := n.results[rank][len(n.results[rank])-1]; r.Err != nil || !bytes.Equal(r.Data, first.Data) {
						t.Fatalf("%v: rank %d has %s, rank 0 %s", c, rank, text(r), text(first))
					}
				}
				for i, v := range view[float32](first.Data) {
					total[i] += float64(v)
				}
			}
			lost := math.Abs(total[1] - ranks*calls*0.3)
			if isRight := lost < 0.03*ranks*calls*0.3; isRight != (feedback || c == BFloat16) {
				t.Errorf("%v, feedback %v: the sum of %v numbers 0.3 is %v", c, feedback, ranks*calls, total[1])
			}
		}
	}
}

// TestFeedbackNotFinite: elements that are not finite have no rounding error.
func TestFeedbackNotFinite(t *testing.T) {
	s := Spec{Elem: tensor.Float32, Codec: Int8, Feedback: true}
	lost := []float32{0.25, 0.5}
	s.withFeedback([]float32{float32(math.Inf(1)), 1}, lost)
	if lost[0] != 0 || lost[1] != 0 {
		t.Errorf("%v is left, want nothing", lost)
	}
}

// TestCodecChecks refuses invalid combinations.
func TestCodecChecks(t *testing.T) {
	for _, s := range []Spec{
		{Elem: tensor.Float64, Codec: Int8}, {Elem: tensor.Int32, Codec: BFloat16}, {Kind: Barrier, Codec: Int8},
		{Kind: Enter, Elem: tensor.Uint8, Codec: Int8}, {Elem: tensor.Float32, Codec: numCodecs},
		{Elem: tensor.Float32, Feedback: true}, {Elem: tensor.Float32, Op: Max, Codec: Int8, Feedback: true}, {Elem: tensor.Float32, Codec: Int8, Algorithm: Ring},
	} {
		if s.Check() == nil {
			t.Errorf("%+v is taken", s)
		}
	}
}

// TestCodecHostile: a rank that sends a value that is not finite makes the call fail if that is refused, and is
// named.
func TestCodecHostile(t *testing.T) {
	for c, bad := range map[Codec][]byte{BFloat16: {0x80, 0x7f}, Int8: append([]byte{notFinite}, make([]byte, block)...)} {
		g, err := New(Config{Ranks: 2, Streams: []Spec{{Elem: tensor.Float32, Codec: c, Finite: true}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Begin(0, ones(1)); err != nil {
			t.Fatal(err)
		}
		if err := g.Receive(1, &Message{Epoch: g.epoch, Length: 1, Algorithm: Direct, Data: bad}); err != nil {
			t.Fatal(err)
		}
		var who *RankError
		if r, ok := g.Done(); !ok || !errors.Is(r.Err, ErrNotFinite) || !errors.As(r.Err, &who) || who.Rank != 1 {
			t.Errorf("%v: got %v", c, r.Err)
		}
	}
}

// TestNotFiniteIsNotSent: a rank whose own value is not finite, where that is refused, sends no part of it.
func TestNotFiniteIsNotSent(t *testing.T) {
	g, err := New(Config{Ranks: 2, Streams: []Spec{{Elem: tensor.Float32, Finite: true}}})
	if err != nil {
		t.Fatal(err)
	}
	v := ones(1)
	binary.LittleEndian.PutUint32(v.Data, math.Float32bits(float32(math.NaN())))
	if err := g.Begin(0, v); err != nil {
		t.Fatal(err)
	}
	for {
		m, more := g.Pull(1)
		if !more {
			return
		}
		if len(m.Data) > 0 {
			t.Fatalf("it sends %d bytes of a value that is not finite", len(m.Data))
		}
	}
}

// TestCodecTraffic: sums send half the bytes as bfloat16, and a bit more than a quarter as int8.
func TestCodecTraffic(t *testing.T) {
	const n, ranks = 4 << 20, 4
	for c, want := range map[Codec]int64{Exact: 6 * n, BFloat16: 6 * n / 2, Int8: 6 * n / 128 * blockBytes} {
		s := Spec{Elem: tensor.Float32, Codec: c}
		if got := s.Traffic(n, ranks, Links{}).Bytes; got != want {
			t.Errorf("%v: %d bytes are sent, want %d", c, got, want)
		}
	}
}

// TestFeedbackDeaths: the rank that rounds a sum may die, and others do so from then on. The remaining ranks
// always have the same bits, near the mean of the participants.
func TestFeedbackDeaths(t *testing.T) {
	const ranks, calls, elements = 5, 12, 100
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := newNetwork(t, seed, Config{Ranks: ranks, IfLost: Repeat, Chunk: 64, Streams: []Spec{{Elem: tensor.Float32, Op: Mean, Codec: Int8, Feedback: true}}})
		n.twice, n.restarts = 0.05, 3
		dying := r.Perm(ranks)[:2]
		for call := range calls {
			for rank, g := range n.groups {
				if n.dead[rank] {
					continue
				}
				x := make([]float32, elements)
				for i := range x {
					x[i] = float32(i) / elements
				}
				if err := g.Begin(0, Value{Rows: 1, Row: elements, Data: tensor.Raw(x)}); err != nil {
					t.Fatal(err)
				}
			}
			for range r.IntN(60) {
				n.step()
			}
			if len(dying) > 0 && r.IntN(3) == 0 {
				n.kill(dying[0])
				n.tellDown(dying[0])
				dying = dying[1:]
			}
			n.run()
			checkMean(t, n, call)
		}
	}
}

// checkMean compares the results of a call on all remaining ranks.
func checkMean(t *testing.T, n *network, call int) {
	t.Helper()
	var first []byte
	for rank := range n.groups {
		if n.dead[rank] {
			continue
		}
		if len(n.results[rank]) <= call || n.results[rank][call].Err != nil {
			t.Fatalf("rank %d has %v, want call %d", rank, n.results[rank], call)
		}
		data := n.results[rank][call].Data
		if first == nil {
			first = data
		}
		if !bytes.Equal(data, first) {
			t.Fatalf("call %d: rank %d has %v, another one %v", call, rank, view[float32](data), view[float32](first))
		}
		for i, v := range view[float32](data) {
			if want := float32(i) / float32(len(data)/4); !(math.Abs(float64(v-want)) <= 0.06) {
				t.Fatalf("call %d: element %d is %g, want about %g", call, i, v, want)
			}
		}
	}
}

// TestFiniteBFloat16: a finite element remains finite with at most half of a bit more of error, and one that is not remains what it is.
func TestFiniteBFloat16(t *testing.T) {
	s := Spec{Elem: tensor.Float32, Codec: BFloat16, Finite: true}
	inf := float32(math.Inf(1))
	for _, c := range []struct{ v, want float32 }{
		{math.MaxFloat32, 0x1.fep127}, {-math.MaxFloat32, -0x1.fep127}, // would be rounded to 2^128
		{0x1.ffp127, 0x1.fep127}, {-0x1.ffp127, -0x1.fep127}, // halfway, to the even one
		{math.Nextafter32(0x1.ffp127, 0), 0x1.fep127}, {0x1.fep127, 0x1.fep127}, {0x1.fd8p127, 0x1.fep127},
		{inf, inf}, {-inf, -inf}, {math.SmallestNonzeroFloat32, 0}, {0x1.01p0, 0x1p0}, {0x1.03p0, 0x1.04p0},
	} {
		x := []float32{c.v, 1}
		sent := s.encode(x, 1)
		if BFloat16.Round(x); x[0] != c.want || x[1] != 1 {
			t.Errorf("%v becomes %v, want %v", c.v, x, c.want)
		}
		if got, want := s.finiteSent(sent), c.v-c.v == 0; got != want {
			t.Errorf("%v as it is sent is finite: %v, want %v", c.v, got, want)
		}
	}
	if x := []float32{float32(math.NaN())}; s.finiteSent(s.encode(x, 1)) {
		t.Error("NaN is sent as a finite value")
	}
}

// TestFiniteBlocks: a block whose elements overflow when they are decoded is not finite, and no finite value becomes such a block.
func TestFiniteBlocks(t *testing.T) {
	s := Spec{Elem: tensor.Float32, Codec: Int8, Finite: true}
	for e := range 256 {
		for _, v := range []byte{0, 1, 63, 64, 127, 0x80, 0xff} {
			b := make([]byte, blockBytes)
			b[0], b[block] = byte(e), v
			var x [block]float32
			s.decode(x[:], b, 1)
			want := !slices.ContainsFunc(x[:], func(v float32) bool { return v-v != 0 })
			if got := s.finiteSent(b); got != want {
				t.Errorf("element %d of exponent %d is %v, and finite: %v", int8(v), e, x[block-1], got)
			}
		}
	}
	for _, v := range []float32{math.MaxFloat32, -math.MaxFloat32, 0x1.fcp127, 0x1.fbp127, -0x1.f8p127} {
		x := []float32{v, 1}
		if Int8.Round(x); math.Abs(float64(x[0]-v)) > math.Abs(float64(v))/63 || x[1] != 0 {
			t.Errorf("%v becomes %v", v, x)
		}
	}
}
