package analytics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func floats(x ...float32) tensor.Dense[float32] { return tensor.DenseOf(x, len(x)) }
func counts(x ...int32) tensor.Dense[int32]     { return tensor.DenseOf(x, len(x)) }

// sum returns the sum of the counts of several peers.
func sum(t *testing.T, list []tensor.Dense[int32]) tensor.Dense[int32] {
	t.Helper()
	s := &Sum{}
	for _, x := range list {
		if err := s.Contribute(wire.PeerID{}, x, 1); err != nil {
			t.Fatal(err)
		}
	}
	x, err := s.Aggregate()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Values are counted in the bin that has their lower bound, and outside of the bounds.
func TestHistogram(t *testing.T) {
	h := &Histogram{Bins: 4}
	got, err := h.Count(floats(-3, 0, 0.9, 1, 3.9, 4, float32(math.Inf(1))), floats(0, 4))
	if want := []int32{1, 2, 1, 0, 1, 2}; err != nil || !slices.Equal(got.Data, want) {
		t.Errorf("the counts are %v, %v, want %v", got.Data, err, want)
	}
	for _, bad := range []struct{ x, bounds tensor.Dense[float32] }{
		{floats(float32(math.NaN())), floats(0, 1)}, {floats(1), floats(1, 1)}, {floats(1), floats(0)}, {floats(1), floats(0, float32(math.Inf(1)))},
	} {
		if _, err := h.Count(bad.x, bad.bounds); err == nil {
			t.Errorf("%v in bins between %v are counted", bad.x.Data, bad.bounds.Data)
		}
	}
}

// Each bin's edges are the same for all values, however narrow the bins are.
func TestEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		low := float32(r.NormFloat64())
		b := bins{low, low + float32(math.Exp(-20*r.Float64())), 1 + r.IntN(20)}
		if b.low >= b.high {
			continue
		}
		v := b.low + float32(r.Float64())*(b.high-b.low)
		switch i := b.of(v); {
		case i == 0 || i == b.n+1:
			if v >= b.low && v < b.high {
				t.Fatalf("%v is outside of %+v", v, b)
			}
		case v < b.edge(i-1) || v >= b.edge(i):
			t.Fatalf("%v of %+v is in bin %d, from %v to %v", v, b, i-1, b.edge(i-1), b.edge(i))
		}
	}
}

// Narrowing finds each quantile exactly, wherever the first bounds are.
func TestQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		var all []float32
		peers := make([][]float32, 5)
		for i := range peers {
			for range 1 + r.IntN(30) {
				peers[i] = append(peers[i], float32(100*r.NormFloat64()))
			}
			all = append(all, peers[i]...)
		}
		q, h, bounds := &Quantile{At: 0.01 + 0.98*r.Float64()}, &Histogram{Bins: 16}, floats(0, 1)
		for range 24 {
			var list []tensor.Dense[int32]
			for _, p := range peers {
				x, err := h.Count(floats(p...), bounds)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, x)
			}
			var err error
			if bounds, err = q.Narrow(bounds, sum(t, list)); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(all)
		if want := all[int(math.Ceil(q.At*float64(len(all))))-1]; bounds.Data[0] != want {
			t.Fatalf("quantile %v is %v, want %v", q.At, bounds.Data, want)
		}
	}
	if v, err := (&Quantile{At: 0.5}).Of(floats(0, 2), counts(0, 4, 4, 0)); v != 1 || err != nil {
		t.Errorf("the median of even counts is %v, %v, want 1", v, err)
	}
	if _, err := (&Quantile{At: 0.5}).Of(floats(0, 2), counts(0, 0, 0)); err == nil {
		t.Error("there is a median of nothing")
	}
}

type words []string

func (w words) Words() []string { return w }

// TestHitters finds exactly the words that occur often enough, with their counts. Some are the beginning of others.
func TestHitters(t *testing.T) {
	peers := []words{{"an", "and", "zebra", "grün"}, {"and", "an", "and", "grün"}, {"and", "rare"}}
	h, asked, done := &Hitters{Least: 2}, vector([]byte{0}), false
	for round := 0; !done; round++ {
		var list []tensor.Dense[int32]
		for _, p := range peers {
			v, err := (&Voter{Words: p}).Votes(asked)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, v)
		}
		votes, err := sum(t, list), error(nil)
		found, often, err := h.Found(asked, votes)
		if err != nil {
			t.Fatal(err)
		}
		if asked, done, err = h.Grow(asked, votes); err != nil || round > 20 {
			t.Fatal(round, err)
		}
		if done && !(slices.Equal(found.Data, []string{"and", "an", "grün"}) && slices.Equal(often.Data, []int32{4, 2, 2})) {
			t.Errorf("%v occur %v times", found.Data, often.Data)
		}
	}
	for _, bad := range []words{{""}, {"a\x00b"}} {
		if _, err := (&Voter{Words: bad}).Votes(vector([]byte{0})); err == nil {
			t.Errorf("%q is counted", bad)
		}
	}
}

// What a peer or a server sends is checked.
func TestRefused(t *testing.T) {
	s := &Sum{Most: 3}
	for _, bad := range []tensor.Dense[int32]{counts(-1), counts(2, 2), counts(math.MaxInt32, math.MaxInt32)} {
		if err := s.Contribute(wire.PeerID{}, bad, 1); err == nil {
			t.Errorf("%v are summed", bad.Data)
		}
	}
	many := &Sum{}
	if err := many.Contribute(wire.PeerID{}, counts(math.MaxInt32), 1); err != nil {
		t.Fatal(err)
	}
	if err := many.Contribute(wire.PeerID{}, counts(1), 1); err == nil {
		t.Error("a sum that is too large is computed")
	}
	for _, bad := range [][]byte{{1}, {255}, {1, 16}, {2, 1}} {
		if _, err := (&Voter{Words: words{"a"}}).Votes(vector(bad)); err == nil {
			t.Errorf("the prefixes %v are read", bad)
		}
	}
	if _, _, err := (&Hitters{Least: 1}).Grow(vector([]byte{0}), counts(1)); err == nil {
		t.Error("one count is enough for a prefix")
	}
	for _, c := range []interface{ Open(runtime.Env) error }{
		&Sum{Most: -1}, &Histogram{}, &Quantile{}, &Quantile{At: 1}, &Hitters{}, &Hitters{Least: 1, Most: -1},
	} {
		if err := c.Open(runtime.Env{}); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// Counts of a wrong shape are not in the sums, also if their peer is the first. If the shape is set, the peer learns why.
func TestWrongShapeFirst(t *testing.T) {
	bad, good := []tensor.Dense[int32]{counts(9, 9, 9), tensor.DenseOf([]int32{9, 9}, 2, 1)}, counts(1, 2)
	for _, shape := range [][]int{nil, {2}} {
		s := &Sum{Shape: shape}
		for _, x := range append(bad, good, good) {
			err := s.Contribute(wire.PeerID{}, x, 1)
			want := ""
			if shape != nil && !slices.Equal(x.Shape, shape) {
				want = fmt.Sprintf("the counts have shape %v, want [2]", x.Shape)
			}
			if got := fmt.Sprint(cmp.Or(err, errors.New(""))); got != want {
				t.Errorf("Shape %v: counts of shape %v: %q, want %q", shape, x.Shape, got, want)
			}
			s = statetest.Restart(t, s, &Sum{Shape: shape})
		}
		if x, err := s.Aggregate(); err != nil || !slices.Equal(x.Shape, good.Shape) || !slices.Equal(x.Data, []int32{2, 4}) {
			t.Errorf("Shape %v: the sums are %v of shape %v, %v; want 2 and 4", shape, x.Data, x.Shape, err)
		}
	}
}

// Sums of executions are separate, and continue from a snapshot.
func TestState(t *testing.T) {
	s := &Sum{}
	one, two := runtime.Round{Module: 1}, runtime.Round{Module: 2}
	for _, c := range []struct {
		in runtime.Round
		x  int32
	}{{one, 1}, {two, 10}, {one, 2}} {
		s.Enter(c.in)
		if err := s.Contribute(wire.PeerID{}, counts(c.x), 1); err != nil {
			t.Fatal(err)
		}
	}
	b, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	back := &Sum{}
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	back.Leave(two)
	back.Enter(one)
	if x, err := back.Aggregate(); err != nil || x.Data[0] != 3 {
		t.Errorf("the sum is %v, %v, want 3", x.Data, err)
	}
	back.Enter(two)
	if _, err := back.Aggregate(); err == nil || !strings.Contains(err.Error(), "no peer") {
		t.Errorf("the sum of a failed execution is there: %v", err)
	}
	if err := back.UnmarshalBinary(b[:len(b)-1]); err == nil {
		t.Error("a state that is cut off is read")
	}
}
