package accountant

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// moment is a line of testdata/moments.txt.
type moment struct{ sampling, noise, order, log float64 }

func quadratures(t *testing.T) (list []moment) {
	t.Helper()
	f, err := os.Open("testdata/moments.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var m moment
		if _, err := fmt.Sscan(lines.Text(), &m.sampling, &m.noise, &m.order, &m.log); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		list = append(list, m)
	}
	if len(list) < 200 {
		t.Fatalf("%d lines, want 200 and more", len(list))
	}
	return list
}

// The moments of the sampled Gaussian mechanism are those of a quadrature, at integer orders to the last digits however
// small they are, and at others never below them.
func TestMomentsAgainstQuadrature(t *testing.T) {
	for _, m := range quadratures(t) {
		got := sampledMoment(m.sampling, m.noise, m.order)
		switch integer := m.order == math.Trunc(m.order); {
		case integer && !(math.Abs(got/m.log-1) < 1e-9):
			t.Errorf("%+v: %v, %v off", m, got, got/m.log-1)
		case !(got >= m.log*(1-1e-9)):
			t.Errorf("%+v: %v is less", m, got)
		}
	}
}

// A thousand times a millionth of the loss is a thousandth: however many rounds there are, rounding errors of one round do
// not become a loss, and no loss is lost in them. The divergence of rounds with much noise and rare sampling approaches
// order·rounds·q²/(2·noise²).
func TestRoundsWithSmallLosses(t *testing.T) {
	for _, m := range []Mechanism{
		{1e4, 0.01, 1 << 30}, {1e5, 0.01, 1 << 30}, {1e6, 0.1, math.MaxInt32}, {1e3, 1e-5, math.MaxInt32}, {1e9, 0.5, math.MaxInt32},
	} {
		for _, order := range []float64{2, 7, 16, 63, 1024} {
			want := order * float64(m.Rounds) * m.Sampling * m.Sampling / (2 * m.Noise * m.Noise)
			if got := divergence(order, []Mechanism{m}); !(math.Abs(got/want-1) < 0.02) {
				t.Errorf("%+v at order %v: %v, want %v", m, order, got, want)
			}
		}
	}
}

// normalTail returns the probability that a normal variable of a mean is larger than x.
func normalTail(x, mean, noise float64) float64 {
	return math.Erfc((x-mean)/(noise*math.Sqrt2)) / 2
}

// deltaOfOne returns δ(ε) of one sampled round: the larger one of those for a peer that is added and one that is
// removed, which are integrals over the outcomes whose ratio of densities is larger than exp(ε).
func deltaOfOne(q, noise, epsilon float64) float64 {
	at := func(ratio float64) float64 { // the outcome with this ratio of the density with the peer to that without
		if ratio <= 1-q {
			return math.Inf(-1)
		}
		return noise*noise*math.Log((ratio-1+q)/q) + 0.5
	}
	mixed := func(x float64) float64 { return (1-q)*normalTail(x, 0, noise) + q*normalTail(x, 1, noise) }
	x := at(math.Exp(epsilon))
	removed := mixed(x) - math.Exp(epsilon)*normalTail(x, 0, noise)
	y := at(math.Exp(-epsilon)) // all outcomes below
	added := (1 - normalTail(y, 0, noise)) - math.Exp(epsilon)*(1-mixed(y))
	return max(removed, added)
}

// One round of any rate and noise: ε has at most the δ that was asked for, and a little less ε would have more.
func TestOneSampledRound(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 12 {
		m := Mechanism{math.Exp(-1.5 + 3*r.Float64()), 0.02 + 0.97*r.Float64(), 1}
		delta := math.Pow(10, -1-6*r.Float64())
		e, err := PLD(delta, m)
		if err != nil {
			t.Fatal(err)
		}
		if got := deltaOfOne(m.Sampling, m.Noise, e); got > delta*(1+1e-6) {
			t.Errorf("%+v: epsilon %v has a delta of %v, want at most %v", m, e, got, delta)
		}
		if less := deltaOfOne(m.Sampling, m.Noise, 0.98*e-1e-3); e > 0 && less < delta {
			t.Errorf("%+v: a smaller epsilon than %v has a delta of %v, less than %v", m, e, less, delta)
		}
	}
}

// gaussian returns the exact ε of the Gaussian mechanism, in logarithms, so that none is too large: B. Balle and
// Y.-X. Wang, 2018, Theorem 8.
func gaussian(noise, delta float64) float64 {
	logTail := func(x float64) float64 { return logHalfErfc(x / math.Sqrt2) }
	enough := func(e float64) bool {
		a, b := logTail(e*noise-1/(2*noise)), e+logTail(e*noise+1/(2*noise))
		return a+math.Log1p(-math.Exp(min(b-a, 0))) <= math.Log(delta)
	}
	low, high := 0.0, 1.0
	for !enough(high) {
		high *= 2
	}
	for range 200 {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// Little noise has a large ε, not 0 and no NaN: both accountants are bounds of the exact value, however large it is.
func TestLittleNoise(t *testing.T) {
	for _, noise := range []float64{0.2, 0.06, 0.04, 0.03, 0.01, 1e-3, 1e-5} {
		for _, delta := range []float64{0.3, 1e-5, 1e-10} {
			want := gaussian(noise, delta)
			for name, account := range map[string]func(float64, ...Mechanism) (float64, error){"RDP": RDP, "PLD": PLD} {
				got, err := account(delta, Mechanism{Noise: noise, Rounds: 1})
				if err != nil || !(got >= want*(1-1e-9)) || got > 1.3*want {
					t.Errorf("%s with noise %v and delta %v: %v (%v), want %v or a little more", name, noise, delta, got, err, want)
				}
			}
		}
	}
}

// What cannot be represented any more counts as no privacy, with every rate of sampling.
func TestVanishingNoise(t *testing.T) {
	for _, noise := range []float64{math.SmallestNonzeroFloat64, 1e-300, 1e-200, 1e-155, 1e-100, 1e-10} {
		for _, q := range []float64{0, 1, 0.5, 0.01, 1e-9, 1 - 0x1p-53} {
			m := Mechanism{noise, q, 3}
			rdp, err := RDP(1e-12, m)
			if err != nil || !(rdp > 1e6) {
				t.Errorf("RDP of %+v: %v, %v", m, rdp, err)
			}
		}
		for _, q := range []float64{0, 0.5} {
			if pld, err := PLD(1e-10, Mechanism{noise, q, 3}); err != nil || !(pld > 1e6) {
				t.Errorf("PLD with noise %v and sampling %v: %v, %v", noise, q, pld, err)
			}
		}
	}
}

// So much noise that nothing is learned, and rates so small that nobody takes part, have an ε of almost 0 and are no NaN.
func TestNothingLearned(t *testing.T) {
	for _, m := range []Mechanism{{1e200, 0, 5}, {1e200, 0.5, 5}, {math.MaxFloat64, 0.9, 5}, {1e300, 0.1, 5}, {2, math.SmallestNonzeroFloat64, 3}, {1, 1e-300, 3}} {
		for name, account := range map[string]func(float64, ...Mechanism) (float64, error){"RDP": RDP, "PLD": PLD} {
			if e, err := account(1e-5, m); err != nil || !(e >= 0 && e < 1e-3) {
				t.Errorf("%s of %+v: %v, %v", name, m, e, err)
			}
		}
	}
}

// Gaussian rounds of different noise are one round: the squares of 1/noise add. So a bound is one however the rounds are
// distributed, from a few with large losses to millions whose losses are smaller than the grid.
func TestCompositionOfGaussians(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for i, rounds := range []int{1, 3, 100, 10_000, 1_000_000, 100_000_000, math.MaxInt32} {
		var all []Mechanism
		sum := 0.0
		for range 1 + i%3 {
			m := Mechanism{Noise: math.Sqrt(float64(rounds)) * (0.7 + 2*r.Float64()), Rounds: rounds}
			all = append(all, m)
			sum += float64(rounds) / (m.Noise * m.Noise)
		}
		for _, delta := range []float64{0.1, 1e-5, 1e-9} {
			want := gaussian(1/math.Sqrt(sum), delta)
			rdp, err := RDP(delta, all...)
			if err != nil || rdp < want {
				t.Errorf("%+v at %v: RDP is %v (%v), less than %v", all, delta, rdp, err, want)
			}
			pld, err := PLD(delta, all...)
			if err != nil || pld < want*(1-1e-6) || pld > rdp {
				t.Errorf("%+v at %v: PLD is %v (%v), want from %v to %v", all, delta, pld, err, want, rdp)
			}
			if rounds <= 10_000 && pld > 1.02*want+1e-2 {
				t.Errorf("%+v at %v: PLD is %v, much more than %v", all, delta, pld, want)
			}
		}
	}
}

// The order of the mechanisms does not matter, and a mechanism of n rounds is n mechanisms of one.
func TestOrderAndSplit(t *testing.T) {
	a, b := Mechanism{2, 0.1, 6}, Mechanism{5, 0, 3}
	short := Mechanism{2, 0.1, 2}
	for name, account := range map[string]func(float64, ...Mechanism) (float64, error){"RDP": RDP, "PLD": PLD} {
		x, _ := account(1e-6, a, b)
		for _, same := range [][]Mechanism{{b, a}, {short, b, short, short}, {a, b, {1, 1, 0}}} {
			if y, err := account(1e-6, same...); err != nil || math.Abs(x-y) > 1e-6*x {
				t.Errorf("%s of %+v is %v (%v), want %v", name, same, y, err, x)
			}
		}
	}
}

// A noise that is computed for an ε spends at most that ε, at any rate and any number of rounds, and half of it spends more.
func TestNoiseForRates(t *testing.T) {
	for _, c := range []struct {
		epsilon, delta, sampling float64
		rounds                   int
	}{{0.05, 1e-9, 1, 1}, {0.1, 1e-6, 0.001, 1 << 20}, {100, 1e-3, 0.5, 1}, {600, 1e-5, 1, 4}, {1, 1e-5, 1e-4, math.MaxInt32}} {
		noise, err := Noise(c.epsilon, c.delta, c.sampling, c.rounds)
		if err != nil {
			t.Fatal(err)
		}
		for factor, spends := range map[float64]bool{1: false, 0.5: true} {
			e, err := RDP(c.delta, Mechanism{noise * factor, c.sampling, c.rounds})
			if err != nil || (e > c.epsilon) != spends {
				t.Errorf("%+v: %v of noise %v spends %v (%v)", c, factor, noise, e, err)
			}
		}
	}
	if _, err := Noise(1, 2, 1, 1); err == nil {
		t.Error("a delta of 2 is accepted")
	}
	if noise, err := Noise(1, 1e-5, 1, 0); err != nil || noise > 1e-3 {
		t.Errorf("no rounds need noise %v: %v", noise, err)
	}
}
