package dp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

func peer(i int) wire.PeerID {
	id, _ := wire.PeerIDOf([]byte(strings.Repeat(string(rune('a'+i)), 32)))
	return id
}

// env returns the environment of a host whose randomness follows from seed.
func env(seed byte) runtime.Env { return runtime.Env{Random: rand.NewChaCha8([32]byte{seed})} }

// opened returns an opened component.
func opened[C runtime.Opener](t *testing.T, c C) C {
	t.Helper()
	if err := c.Open(env(1)); err != nil {
		t.Fatal(err)
	}
	return c
}

// constant returns a change of n elements with a norm.
func constant(n int, length float64) tensor.Dense[float32] {
	x := tensor.NewDense[float32](n)
	for i := range x.Data {
		x.Data[i] = float32(length / math.Sqrt(float64(n)))
	}
	return x
}

func contribute(t *testing.T, a *Average, i int, x tensor.Dense[float32], weight float32) {
	t.Helper()
	if err := a.Contribute(context.Background(), peer(i), values.LargeOf(x), weight); err != nil {
		t.Fatal(err)
	}
}

func aggregate(t *testing.T, a *Average) []float32 {
	t.Helper()
	x, err := a.Aggregate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(x.Data)
}

// spread returns the mean and the deviation of values.
func spread[T int32 | int64 | float32](x []T) (mean, deviation float64) {
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for _, v := range x {
		deviation += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
	}
	return mean, math.Sqrt(deviation)
}

// about checks a number that was measured on n draws.
func about(t *testing.T, what string, got, want float64, n int) {
	t.Helper()
	if !(math.Abs(got-want) <= 5*want/math.Sqrt(float64(n))) {
		t.Errorf("%s is %v, want about %v", what, got, want)
	}
}

// Long changes are scaled down to Clip, and each peer counts as one, whatever weight it claims.
func TestClipped(t *testing.T) {
	a := opened(t, &Average{Clip: 2})
	contribute(t, a, 0, constant(4, 1), 1)
	contribute(t, a, 1, constant(4, 100), 1e6)
	if got := aggregate(t, a); !(math.Abs(float64(got[0])-(0.5+1)/2) <= 1e-6) {
		t.Errorf("the mean is %v, want 0.75", got)
	}
	a = opened(t, &Average{Clip: 2, Peers: 4})
	contribute(t, a, 0, constant(4, 1), 1)
	if got := aggregate(t, a); !(math.Abs(float64(got[0])-0.5/4) <= 1e-6) {
		t.Errorf("one of four peers gives %v, want 0.125", got)
	}
}

// The noise of the mean has the deviation that its comment says.
func TestNoise(t *testing.T) {
	const n = 20000
	for _, c := range []struct {
		a    Average
		want float64
	}{
		{Average{Clip: 3, Noise: 2}, 3 * 2 / 5.},
		{Average{Clip: 3, Noise: 2, Sampling: 0.5, Peers: 10}, 3 * 2 / 10.},
		{Average{Clip: 3, Noise: 2, Quantile: 0.5}, 3 * 2 / 5. / math.Sqrt(0.75)},
	} {
		a := opened(t, &c.a)
		for i := range 5 {
			contribute(t, a, i, constant(n, 0), 1)
		}
		mean, deviation := spread(aggregate(t, a))
		about(t, "the deviation", deviation, c.want, n)
		if !(math.Abs(mean) <= 5*c.want/math.Sqrt(n)) {
			t.Errorf("the mean is %v, want about 0", mean)
		}
	}
	l := opened(t, &Local{Clip: 3, Noise: 0.5})
	x, err := l.Add(context.Background(), constant(n, 1000))
	if err != nil {
		t.Fatal(err)
	}
	mean, deviation := spread(x.Data)
	about(t, "the deviation of a peer", deviation, 1.5, n)
	if !(math.Abs(mean-3/math.Sqrt(n)) <= 5*1.5/math.Sqrt(n)) {
		t.Errorf("the mean is %v, want about %v", mean, 3/math.Sqrt(n))
	}
}

// A change that is longer than the clip, by however little, has its length.
func TestLocalClip(t *testing.T) {
	l := opened(t, &Local{Clip: 2})
	for _, c := range []struct{ length, want float64 }{{1, 1}, {2, 2}, {2.5, 2}, {3.9, 2}, {100, 2}} {
		x, err := l.Add(context.Background(), constant(4, c.length))
		if err != nil {
			t.Fatal(err)
		}
		square := 0.0
		for _, v := range x.Data {
			square += float64(v) * float64(v)
		}
		if got := math.Sqrt(square); !(math.Abs(got-c.want) <= 1e-6) {
			t.Errorf("a change of length %v leaves with %v, want %v", c.length, got, c.want)
		}
	}
}

// No two values have the same noise, and no two peers.
func TestFresh(t *testing.T) {
	a, b := &Local{Clip: 1, Noise: 1}, &Local{Clip: 1, Noise: 1}
	if err := a.Open(env(1)); err != nil {
		t.Fatal(err)
	}
	if err := b.Open(env(2)); err != nil {
		t.Fatal(err)
	}
	x, _ := a.Add(context.Background(), constant(3, 0))
	y, _ := a.Add(context.Background(), constant(3, 0))
	z, _ := b.Add(context.Background(), constant(3, 0))
	if slices.Equal(x.Data, y.Data) || slices.Equal(x.Data, z.Data) {
		t.Errorf("%v, %v and %v", x.Data, y.Data, z.Data)
	}
}

// The clip converges to the quantile of the norms, from above and from below.
func TestAdaptive(t *testing.T) {
	for _, from := range []float64{0.01, 300} {
		a := opened(t, &Average{Clip: from, Noise: 0.2, Quantile: 0.7})
		for range 150 {
			for i := range 20 {
				contribute(t, a, i, constant(2, float64(1+i)), 1)
			}
			aggregate(t, a)
		}
		if a.clip < 12 || a.clip > 17 {
			t.Errorf("from %v the clip goes to %v, want about 14: seven tenths of the changes are as short", from, a.clip)
		}
	}
}

// A restored component continues in the same way, including its noise: a sum that is revealed twice has the
// same noise.
func TestRestart(t *testing.T) {
	create := func(seed byte) *Average {
		a := &Average{Clip: 1, Noise: 1, Quantile: 0.5}
		if err := a.Open(env(seed)); err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := create(1)
	contribute(t, a, 0, constant(3, 2), 1)
	aggregate(t, a)
	contribute(t, a, 0, constant(3, 2), 1)
	b := create(2)
	statetest.Restart(t, a, b)
	for _, x := range []*Average{a, b} {
		contribute(t, x, 1, constant(3, 0.1), 1)
	}
	if x, y := aggregate(t, a), aggregate(t, b); !slices.Equal(x, y) || a.clip != b.clip {
		t.Errorf("%v and clip %v after a restart, %v and %v without", y, b.clip, x, a.clip)
	}
	l, m := opened(t, &Local{Clip: 1, Noise: 1}), &Local{Clip: 1, Noise: 1}
	statetest.Restart(t, l, m)
	x, _ := l.Add(context.Background(), constant(3, 1))
	if y, _ := m.Add(context.Background(), constant(3, 1)); !slices.Equal(x.Data, y.Data) {
		t.Errorf("%v after a restart, want %v", y.Data, x.Data)
	}
}

// Overlapping executions are counted separately.
func TestRounds(t *testing.T) {
	a := opened(t, &Average{Clip: 10, Quantile: 0.5})
	one, two := runtime.Round{Module: 1}, runtime.Round{Module: 2}
	a.Enter(one)
	contribute(t, a, 0, constant(1, 1), 1)
	a.Enter(two)
	contribute(t, a, 0, constant(1, 50), 1)
	a.Leave(two)
	a.Enter(one)
	contribute(t, a, 1, constant(1, 3), 1)
	if got := aggregate(t, a); got[0] != 2 || a.clip >= 10 || a.rounds.Len() != 0 {
		t.Errorf("%v with clip %v and %d rounds left; want 2, less than 10 and none", got, a.clip, a.rounds.Len())
	}
}

// The samples have the discrete Gaussian distribution.
func TestDiscreteGaussian(t *testing.T) {
	const n = 100000
	r := rand.New(rand.NewPCG(1, 2))
	for _, square := range []uint64{1, 3, 20} {
		g := gaussian{square, uint64(math.Sqrt(float64(square))) + 1}
		density := func(x int64) float64 { return math.Exp(-float64(x*x) / (2 * float64(square))) }
		all, counts := 0.0, map[int64]float64{}
		for x := int64(-100); x <= 100; x++ {
			all += density(x)
		}
		for range n {
			counts[g.draw(r)]++
		}
		chi, cells := 0.0, 0
		for x := int64(-100); x <= 100; x++ {
			if want := n * density(x) / all; want > 10 {
				chi += (counts[x] - want) * (counts[x] - want) / want
				cells++
			}
		}
		if limit := float64(cells) + 5*math.Sqrt(2*float64(cells)); chi > limit {
			t.Errorf("square %d: chi² of %d cells is %v, want at most %v", square, cells, chi, limit)
		}
	}
	large := gaussian{mostSquare, 1<<13 + 1}
	var x []int64
	for range n {
		x = append(x, large.draw(r))
	}
	_, deviation := spread(x)
	about(t, "the largest deviation", deviation, 1<<13, n)
}

// The sum of encoded changes has the requested noise, and the right mean.
func TestDiscrete(t *testing.T) {
	const n, peers = 20000, 4
	for _, noise := range []float64{0, 1.5} {
		sum := tensor.DenseOf(make([]int32, n), n)
		var last *Discrete
		for i := range peers {
			last = &Discrete{Clip: 2, Noise: noise, Peers: peers, Levels: 4096}
			if err := last.Open(env(byte(i))); err != nil {
				t.Fatal(err)
			}
			x, err := last.Encode(context.Background(), constant(n, []float64{1, 2, 3, 400}[i]))
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range x.Data {
				sum.Data[k] += v
			}
		}
		_, deviation := spread(sum.Data)
		want := noise * (4096 + math.Sqrt(n))
		if noise > 0 {
			about(t, "the deviation", deviation, want, n)
		} else if deviation > math.Sqrt(peers) {
			t.Errorf("without noise the deviation is %v", deviation)
		}
		mean, err := last.Mean(context.Background(), sum, peers)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := spread(mean.Data)
		exact := (1 + 2 + 2 + 2) / math.Sqrt(n) / peers
		if limit := 5 * (want + 1) * 2 / 4096 / peers / math.Sqrt(n); !(math.Abs(got-exact) <= limit) {
			t.Errorf("noise %v: the mean is %v, want %v to %v", noise, got, exact, limit)
		}
		if _, err := last.Mean(context.Background(), sum, peers-1); err == nil {
			t.Error("fewer peers than have noise enough are accepted")
		}
	}
}

// Impossible noise is an error that says what to change.
func TestDiscreteLimits(t *testing.T) {
	for _, d := range []*Discrete{{Clip: 1, Noise: 0.01, Peers: 1}, {Clip: 1, Noise: 50, Peers: 2}, {Clip: 1, Noise: 1, Peers: 1000}} {
		if _, err := opened(t, d).Encode(context.Background(), constant(1000, 1)); err != nil {
			t.Errorf("%+v: %v", d, err)
		}
	}
	for want, d := range map[string]*Discrete{
		"set fewer Levels": {Clip: 1, Noise: 10, Peers: 1, Levels: 1 << 14}, "set more Levels": {Clip: 1, Noise: 0.1, Peers: 4, Levels: 1},
	} {
		if _, err := opened(t, d).Encode(context.Background(), constant(4, 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A sampler chooses each peer with the probability of its rate, independent of the others.
func TestSampler(t *testing.T) {
	const n = 20000
	s := opened(t, &Sampler{Class: "client", Rate: 0.3})
	all := []wire.PeerID{peer(0), peer(1), peer(2)}
	counts := map[wire.PeerID]int{}
	sizes := make([]float64, 4)
	for range n {
		some := s.drawFrom(all)
		for _, p := range some {
			counts[p]++
		}
		sizes[len(some)]++
	}
	for _, p := range all {
		if away := math.Abs(float64(counts[p]) - 0.3*n); away > 5*math.Sqrt(n*0.3*0.7) {
			t.Errorf("a peer is chosen %d times of %d, want 0.3 of them", counts[p], n)
		}
	}
	for k, want := range []float64{0.343, 0.441, 0.189, 0.027} {
		if !(math.Abs(sizes[k]/n-want) <= 0.02) {
			t.Errorf("%d peers are chosen %v of the times, want %v", k, sizes[k]/n, want)
		}
	}
	for _, s := range []*Sampler{{Rate: 0.5}, {Class: "client"}, {Class: "client", Rate: 2}} {
		if err := s.Open(env(1)); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

// A value that is not finite is refused, and a configuration without meaning before anything runs.
func TestRefuses(t *testing.T) {
	bad := constant(3, 1)
	bad.Data[1] = float32(math.NaN())
	if _, err := opened(t, &Local{Clip: 1}).Add(context.Background(), bad); err == nil || !strings.Contains(err.Error(), "element 1 is NaN") {
		t.Errorf("%v", err)
	}
	if _, err := opened(t, &Discrete{Clip: 1, Peers: 1}).Encode(context.Background(), bad); err == nil || !strings.Contains(err.Error(), "element 1 is NaN") {
		t.Errorf("%v", err)
	}
	for _, q := range []float64{0, 0.5} {
		a := opened(t, &Average{Clip: 1, Quantile: q})
		if err := a.Contribute(context.Background(), peer(0), values.LargeOf(bad), 1); err == nil || !strings.Contains(err.Error(), "element 1 is NaN") {
			t.Errorf("%v", err)
		}
		if _, err := a.Aggregate(context.Background()); err == nil {
			t.Error("what was refused is there")
		}
	}
	for _, c := range []runtime.Opener{
		&Average{}, &Average{Clip: 1, Noise: -1}, &Average{Clip: 1, Sampling: 0.5}, &Average{Clip: 1, Sampling: 2, Peers: 1}, &Average{Clip: 1, Quantile: 1},
		&Average{Clip: math.NaN()}, &Average{Clip: 1, Peers: -1}, &Average{Clip: 1, Rate: -1}, &Local{}, &Local{Clip: 1, Noise: math.Inf(1)}, &Discrete{Clip: 1}, &Discrete{Peers: 1}, &Discrete{Clip: 1, Peers: 1, Levels: -1},
	} {
		if err := c.Open(env(1)); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	for _, c := range []runtime.Opener{&Average{Clip: 1}, &Local{Clip: 1}, &Discrete{Clip: 1, Peers: 1}} {
		if err := c.Open(runtime.Env{Seed: 1}); err == nil || !strings.Contains(err.Error(), "Random") {
			t.Errorf("%T: noise that all can guess: %v", c, err)
		}
	}
}
