package gossip

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// crowd returns peers whose values are their numbers and the squares of these.
func crowd(t *testing.T, n, epochs int) []*PushSum {
	t.Helper()
	var all []*PushSum
	for i := range n {
		p := &PushSum{Size: 2, Epochs: epochs}
		if err := p.Open(runtime.Env{}); err != nil {
			t.Fatal(err)
		}
		if err := p.Set(tensor.DenseOf([]float64{float64(i), float64(i * i)}, 2)); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// rounds makes each live peer give half away to a random one, repeatedly. A share for a dead peer is lost.
func rounds(t *testing.T, all []*PushSum, r *rand.Rand, n int, dead func(i int) bool) {
	t.Helper()
	for range n {
		for i, p := range all {
			if dead(i) {
				continue
			}
			m := p.message(p.takeHalf())
			if to := r.IntN(len(all)); !dead(to) {
				if _, _, err := all[to].Receive(wire.PeerID{}, m); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// off returns the maximum error of the estimates of live peers.
func off(t *testing.T, all []*PushSum, want float64, dead func(i int) bool) float64 {
	t.Helper()
	most := 0.0
	for i, p := range all {
		x, err := p.Estimate()
		if err != nil {
			t.Fatal(err)
		}
		if !dead(i) {
			most = max(most, math.Abs(x.Data[0]-want))
		}
	}
	return most
}

func noneLost(int) bool { return false }

// All peers find the mean, in a number of rounds that grows with the logarithm of the number of peers, as in
// the paper.
func TestMean(t *testing.T) {
	for _, n := range []int{10, 100, 1000, 10_000} {
		all := crowd(t, n, 0)
		mean := float64(n-1) / 2
		k := 0
		for ; off(t, all, mean, noneLost) > 1e-4*mean && k < 1000; k++ {
			rounds(t, all, rand.New(rand.NewPCG(1, uint64(k))), 1, noneLost)
		}
		if most := int(6*math.Log2(float64(n))) + 15; k > most {
			t.Errorf("%d peers need %d rounds, want at most %d", n, k, most)
		}
		x, err := all[0].Estimate()
		if want := float64(n-1) * float64(2*n-1) / 6; err != nil || !(math.Abs(x.Data[1]/want-1) <= 1e-2) {
			t.Errorf("%d peers: the mean of the squares is %v (%v), want %v", n, x.Data[1], err, want)
		}
	}
}

// A later change of a value changes the mean accordingly, also in the shares of others.
func TestSet(t *testing.T) {
	all, r := crowd(t, 100, 0), rand.New(rand.NewPCG(1, 2))
	rounds(t, all, r, 60, noneLost)
	if err := all[7].Set(tensor.DenseOf([]float64{1007, 0}, 2)); err != nil {
		t.Fatal(err)
	}
	rounds(t, all, r, 60, noneLost)
	if d := off(t, all, 59.5, noneLost); d > 1e-6 {
		t.Errorf("the mean is off by %v", d)
	}
}

// A fifth of the peers die. Without epochs the others agree, but not on their mean; with epochs they find it.
func TestFailures(t *testing.T) {
	dead := func(i int) bool { return i%5 == 4 }
	mean, n := 0.0, 0.0
	for i := range 200 {
		if !dead(i) {
			mean, n = mean+float64(i), n+1
		}
	}
	for epochs, exact := range map[int]bool{0: false, 50: true} {
		all, r := crowd(t, 200, epochs), rand.New(rand.NewPCG(1, 3))
		rounds(t, all, r, 3, noneLost)
		// Dead peers get no shares: sampling forgets them.
		var living []*PushSum
		for i, p := range all {
			if !dead(i) {
				living = append(living, p)
			}
		}
		rounds(t, all, r, 2, dead)
		rounds(t, living, r, 120, noneLost)
		if d := off(t, living, mean/n, noneLost); exact != (d < 1e-6) {
			t.Errorf("epochs of %d: the mean of those left is off by %v", epochs, d)
		}
		first, _ := living[0].Estimate()
		if d := off(t, living, first.Data[0], noneLost); d > 1e-3 {
			t.Errorf("epochs of %d: they do not agree: %v", epochs, d)
		}
	}
}

// A peer without a value passes on the shares of others, and has no estimate before.
func TestWithoutValue(t *testing.T) {
	all := crowd(t, 10, 0)
	p := &PushSum{Size: 2}
	if err := p.Open(runtime.Env{}); err != nil {
		t.Fatal(err)
	}
	if x, err := p.Estimate(); err != nil || !math.IsNaN(x.Data[0]) {
		t.Errorf("it takes %v (%v) for the mean, and knows nothing", x.Data, err)
	}
	all = append(all, p)
	rounds(t, all, rand.New(rand.NewPCG(1, 4)), 60, noneLost)
	if d := off(t, all, 4.5, noneLost); d > 1e-6 {
		t.Errorf("the mean is off by %v", d)
	}
}

// A peer continues from its state. Truncated states, and those of another size, are refused.
func TestState(t *testing.T) {
	for _, p := range append(crowd(t, 1, 3), &PushSum{Size: 2, share: share{sum: []float64{0, 0}}}) {
		for range 4 {
			state, err := p.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			q := &PushSum{Size: 2, Epochs: 3}
			for n := range state {
				if err := q.UnmarshalBinary(state[:n]); err == nil {
					t.Fatalf("the first %d of %d bytes are accepted", n, len(state))
				}
			}
			if err := q.UnmarshalBinary(state); err != nil {
				t.Fatal(err)
			}
			if again, _ := q.AppendBinary(nil); !bytes.Equal(state, again) {
				t.Error("the state read is not the one written")
			}
			if err := (&PushSum{Size: 3}).UnmarshalBinary(state); err == nil {
				t.Error("a state of another size is accepted")
			}
			p.takeHalf()
		}
	}
}

// Invalid shares are refused without effect.
func TestRefuses(t *testing.T) {
	p := crowd(t, 1, 0)[0]
	before, _ := p.AppendBinary(nil)
	for _, m := range [][]float64{nil, {0, 1, 1}, {0, 1, 1, 1, 1}, {-1, 1, 1, 1}, {0.5, 1, 1, 1}, {math.Inf(1), 1, 1, 1}, {0, -1, 1, 1}, {0, math.NaN(), 1, 1}, {0, 1, 1, math.Inf(-1)}} {
		if _, _, err := p.Receive(wire.PeerID{}, tensor.DenseOf(m, len(m))); err == nil {
			t.Errorf("%v is accepted", m)
		}
	}
	for _, x := range [][]float64{{1}, {1, math.NaN()}} {
		if err := p.Set(tensor.DenseOf(x, len(x))); err == nil {
			t.Errorf("%v is accepted as a value", x)
		}
	}
	if after, _ := p.AppendBinary(nil); !slices.Equal(before, after) {
		t.Error("what is refused has changed the share")
	}
	if err := (&PushSum{Epochs: -1}).Open(runtime.Env{}); err == nil || !strings.Contains(err.Error(), "Epochs -1") {
		t.Errorf("%v", err)
	}
}
