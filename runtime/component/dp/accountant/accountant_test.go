package accountant

import (
	"bufio"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// expected is a line of testdata/expected.txt.
type expected struct {
	delta, rdp, pld float64
	all             []Mechanism
}

// published reads the results of the Python package dp-accounting.
func published(t *testing.T) (list []expected) {
	t.Helper()
	f, err := os.Open("testdata/expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var n []float64
		for _, word := range strings.Fields(lines.Text()) {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			n = append(n, x)
		}
		e := expected{delta: n[0], rdp: n[1], pld: n[2]}
		for m := n[3:]; len(m) > 0; m = m[3:] {
			e.all = append(e.all, Mechanism{m[0], m[1], int(m[2])})
		}
		list = append(list, e)
	}
	if len(list) < 50 {
		t.Fatalf("%d lines, want 50 and more", len(list))
	}
	return list
}

// near reports whether two numbers agree to 1 %, the tolerance of the accountants.
func near(got, want float64) bool { return math.Abs(got-want) <= 0.01*want }

// TestRDP compares epsilon by Rényi divergence with published values.
func TestRDP(t *testing.T) {
	for _, e := range published(t) {
		if got, err := RDP(e.delta, e.all...); err != nil || !near(got, e.rdp) {
			t.Errorf("%+v at %v: %v (%v), want %v", e.all, e.delta, got, err, e.rdp)
		}
	}
}

// TestPLD compares epsilon by privacy loss distributions with published values.
func TestPLD(t *testing.T) {
	for i, e := range published(t) {
		if testing.Short() && i%6 != 0 {
			continue
		}
		if got, err := PLD(e.delta, e.all...); err != nil || !near(got, e.pld) {
			t.Errorf("%+v at %v: %v (%v), want %v", e.all, e.delta, got, err, e.pld)
		}
	}
}

// The distribution of the loss of a Gaussian mechanism is known: B. Balle and Y.-X. Wang,
// "Improving the Gaussian Mechanism for Differential Privacy", 2018, Theorem 8. Rounds of
// it are one with less noise.
func TestGaussian(t *testing.T) {
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, m := range []Mechanism{{Noise: 1, Rounds: 1}, {Noise: 5, Rounds: 30}, {Noise: 0.5, Rounds: 2}} {
		noise := m.Noise / math.Sqrt(float64(m.Rounds))
		for _, delta := range []float64{1e-2, 1e-6, 1e-9} {
			e, err := PLD(delta, m)
			got := normal(1/(2*noise)-e*noise) - math.Exp(e)*normal(-1/(2*noise)-e*noise)
			if err != nil || got > delta || got < 0.98*delta {
				t.Errorf("%+v: epsilon %v has a delta of %v (%v), want %v or a little less", m, e, got, err, delta)
			}
		}
	}
}

// PLD never exceeds RDP, and both grow with rounds and sampling and shrink with noise.
func TestMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		m := Mechanism{0.5 + 3*r.Float64(), 0.01 + 0.9*r.Float64(), 1 + r.IntN(50)}
		rdp, _ := RDP(1e-5, m)
		pld, _ := PLD(1e-5, m)
		noisy, rare, short := m, m, m
		noisy.Noise *= 1.2
		rare.Sampling /= 1.2
		short.Rounds--
		for _, less := range []Mechanism{noisy, rare, short} {
			a, _ := RDP(1e-5, less)
			b, _ := PLD(1e-5, less)
			if a > rdp || b > pld || pld > rdp {
				t.Errorf("%+v: RDP %v, PLD %v; %+v: %v, %v", m, rdp, pld, less, a, b)
			}
		}
	}
}

// Without rounds ε is 0, without noise it is infinite.
func TestEnds(t *testing.T) {
	for _, account := range []func(float64, ...Mechanism) (float64, error){RDP, PLD} {
		if e, err := account(1e-5, Mechanism{Noise: 1}); err != nil || e != 0 {
			t.Errorf("no rounds: %v, %v", e, err)
		}
		if e, err := account(1e-5, Mechanism{Rounds: 1}); err != nil || !math.IsInf(e, 1) {
			t.Errorf("no noise: %v, %v", e, err)
		}
		for _, delta := range []float64{0, 1, -1, math.NaN()} {
			if _, err := account(delta, Mechanism{Noise: 1, Rounds: 1}); err == nil {
				t.Errorf("delta %v is accepted", delta)
			}
		}
		for _, m := range []Mechanism{{Noise: -1}, {Noise: math.NaN()}, {Noise: math.Inf(1)}, {Noise: 1, Sampling: 2}, {Noise: 1, Sampling: -1}, {Noise: 1, Rounds: -1}} {
			if _, err := account(1e-5, m); err == nil {
				t.Errorf("%+v is accepted", m)
			}
		}
		if _, err := account(1e-5); err == nil {
			t.Error("no mechanism is accepted")
		}
	}
}

// Noise returns the smallest sufficient noise.
func TestNoise(t *testing.T) {
	for _, c := range []struct {
		epsilon, sampling float64
		rounds            int
	}{{1, 1, 1}, {8, 0, 100}, {2, 0.01, 1000}, {50, 1, 3}} {
		noise, err := Noise(c.epsilon, 1e-5, c.sampling, c.rounds)
		if err != nil {
			t.Fatal(err)
		}
		enough, _ := RDP(1e-5, Mechanism{noise, c.sampling, c.rounds})
		less, _ := RDP(1e-5, Mechanism{0.99 * noise, c.sampling, c.rounds})
		if enough > c.epsilon || less <= c.epsilon {
			t.Errorf("%+v: noise %v has epsilon %v, a hundredth less %v", c, noise, enough, less)
		}
	}
	for _, epsilon := range []float64{0, -1, math.NaN()} {
		if _, err := Noise(epsilon, 1e-5, 1, 1); err == nil {
			t.Errorf("epsilon %v is accepted", epsilon)
		}
	}
}

// The fast transform is the sum that defines it, and inverse undoes it.
func TestFFT(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 64; n *= 2 {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		y := append([]complex128{}, x...)
		fft(y)
		for k := range y {
			var want complex128
			for i := range x {
				want += x[i] * cmplx.Exp(complex(0, -2*math.Pi*float64(i*k)/float64(n)))
			}
			if cmplx.Abs(y[k]-want) > 1e-12 {
				t.Fatalf("%d of %d is %v, want %v", k, n, y[k], want)
			}
		}
		inverse(y)
		for i := range x {
			if cmplx.Abs(y[i]-x[i]) > 1e-12 {
				t.Fatalf("%d of %d comes back as %v, was %v", i, n, y[i], x[i])
			}
		}
	}
}
