package gossip

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func dense(x ...float64) tensor.Dense[float64] { return tensor.DenseOf(x, len(x)) }

// send gives a share to a peer.
func send(p *PushSum, epoch, weight float64, sum ...float64) error {
	_, _, err := p.Receive(wire.PeerID{}, dense(append([]float64{epoch, weight}, sum...)...))
	return err
}

// finite reports whether all numbers of a peer are.
func (p *PushSum) finite() bool {
	x, err := p.Estimate()
	return err == nil && beyond(append(append(x.Data, p.share.sum...), p.share.weight), math.MaxFloat64) < 0
}

// TestInsiderCannotOverflow: however large the shares are that a peer sends and others take, no sum becomes infinite and no mean
// NaN, and what is refused changes nothing.
func TestInsiderCannotOverflow(t *testing.T) {
	large := []float64{0, 1, -1, 1e99, -1e99, 1e100, 1e106, -1e106, 1e107, 1e200, -1e308, math.MaxFloat64, -math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64, math.Copysign(0, -1)}
	r := rand.New(rand.NewPCG(1, 1))
	all := crowd(t, 4, 25)
	taken, refused := 0, 0
	for range 5000 {
		p := all[r.IntN(3)]
		pick := func() float64 { return large[r.IntN(len(large))] }
		before, _ := p.AppendBinary(nil)
		if err := send(p, float64(p.share.epoch), math.Abs(pick()), pick(), pick()); err != nil {
			refused++
			if after, _ := p.AppendBinary(nil); string(before) != string(after) {
				t.Fatal("what is refused has changed the share")
			}
		} else {
			taken++
		}
		rounds(t, all, r, 1, noneLost)
		for i, p := range all {
			if !p.finite() {
				t.Fatalf("peer %d has %+v", i, p.share)
			}
		}
	}
	if taken < 100 || refused < 100 {
		t.Errorf("%d shares are taken and %d refused, want many of both", taken, refused)
	}
}

// TestMax: values and shares are bounded by Max, which is checked, and the extremes are taken.
func TestMax(t *testing.T) {
	for _, most := range []float64{-1, math.NaN(), math.Inf(1), 1e300} {
		if err := (&PushSum{Max: most}).Open(runtime.Env{}); err == nil || !strings.Contains(err.Error(), "Max") {
			t.Errorf("Max %v: %v", most, err)
		}
	}
	for _, most := range []float64{0, 1, 1e-300, 1e280} {
		p := &PushSum{Max: most}
		if err := p.Open(runtime.Env{}); err != nil {
			t.Fatal(err)
		}
		bound := p.max()
		for _, x := range []float64{bound, -bound, 0, bound / 3, -bound, bound} { // a change of twice the maximum
			if err := p.Set(dense(x)); err != nil || !p.finite() {
				t.Errorf("Max %v: %v is refused: %v, %+v", most, x, err, p.share)
			}
			if got, _ := p.Estimate(); got.Data[0] != x {
				t.Errorf("Max %v: the mean of one peer with %v is %v", most, x, got.Data[0])
			}
		}
		above := math.Nextafter(bound, math.Inf(1))
		if p.Set(dense(above)) == nil || p.Set(dense(-above)) == nil {
			t.Errorf("Max %v: %v is taken", most, above)
		}
		if err := send(p, 0, maxPeers, bound*maxPeers); err != nil {
			t.Errorf("Max %v: the share of %v peers is refused: %v", most, maxPeers, err)
		}
		if send(p, 0, 1, math.Nextafter(bound*maxPeers, math.Inf(1))) == nil || send(p, 0, maxPeers*1.01, 0) == nil {
			t.Errorf("Max %v: more than all peers have together is taken", most)
		}
	}
}

// TestLonelyPeer: a peer that gives shares away and gets none for a long time still has its mean, and takes part when others come.
func TestLonelyPeer(t *testing.T) {
	all := crowd(t, 3, 0)
	for i := range 20_000 {
		s := all[2].takeHalf()
		if x, _ := all[2].Estimate(); x.Data[0] != 2 || x.Data[1] != 4 {
			t.Fatalf("after %d periods its mean is %v, want its value", i, x.Data)
		}
		if s.weight > 0 && (s.sum[0]/s.weight != 2 || s.sum[1]/s.weight != 4) {
			t.Fatalf("after %d periods it gives away %v", i, s)
		}
	}
	rounds(t, all, rand.New(rand.NewPCG(2, 2)), 80, noneLost)
	for i, p := range all {
		if x, _ := p.Estimate(); math.Abs(x.Data[0]-0.5) > 1e-6 { // what it gave away is lost: 0 and 1 remain
			t.Errorf("peer %d has the mean %v, want 0.5", i, x.Data)
		}
	}
}

// TestEpochsAreNotUsedUp: a peer that claims a very late epoch is refused, and one that claims later and later ones does not come
// to the last in as many messages as it can send in a lifetime. Honest peers go on to restart.
func TestEpochsAreNotUsedUp(t *testing.T) {
	all, r := crowd(t, 5, 40), rand.New(rand.NewPCG(3, 3))
	for _, epoch := range []float64{1 << 53, 1<<53 - 1, 1 << 50, 1<<20 + 1, math.MaxFloat64, math.Inf(1), math.NaN(), -1, 0.5} {
		if send(all[0], epoch, 0, 0, 0) == nil {
			t.Errorf("epoch %v follows epoch 0", epoch)
		}
	}
	for range 1000 {
		if err := send(all[0], float64(all[0].share.epoch+maxAhead), 0, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if e := all[0].share.epoch; e > maxEpoch>>20 {
		t.Fatalf("a thousand messages lead to epoch %d", e)
	}
	for _, p := range all[1:] { // they hear of it step by step, as the liar has told it
		p.begin(all[0].share.epoch)
	}
	first := all[0].share.epoch
	rounds(t, all, r, 200, noneLost)
	for i, p := range all {
		x, _ := p.Estimate()
		if p.share.epoch < first+4 || math.Abs(x.Data[0]-2) > 1e-3 {
			t.Errorf("peer %d is in epoch %d after %d, with the mean %v", i, p.share.epoch, first, x.Data)
		}
	}
}

// TestMassIsConserved: gossip without losses keeps the exact sums, which big numbers add: of weights, and of values that change.
func TestMassIsConserved(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 4))
		all := crowd(t, 2+r.IntN(9), 0)
		for range 120 {
			rounds(t, all, r, 1, noneLost)
			if r.IntN(4) == 0 {
				x := dense(math.Trunc(r.NormFloat64()*1000), math.Trunc(r.NormFloat64()*10))
				if err := all[r.IntN(len(all))].Set(x); err != nil {
					t.Fatal(err)
				}
			}
		}
		sums := [3]*big.Float{}
		wants := [3]float64{float64(len(all))}
		for k := range sums {
			sums[k] = new(big.Float).SetPrec(400)
		}
		for _, p := range all {
			for k, v := range append([]float64{p.share.weight}, p.share.sum...) {
				sums[k].Add(sums[k], new(big.Float).SetFloat64(v))
			}
			wants[1], wants[2] = wants[1]+p.value[0], wants[2]+p.value[1]
		}
		for k, want := range wants {
			if got, _ := sums[k].Float64(); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("seed %d: sum %d is %v, want %v", seed, k, got, want)
			}
		}
	}
}
