package drift

import (
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

type vector = tensor.Dense[float32]

func vec(x ...float32) vector { return tensor.DenseOf(x, len(x)) }

// want compares a result.
func want(t *testing.T, got vector, err error, x ...float32) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if len(got.Data) != len(x) || !(math.Abs(float64(got.Data[i]-x[i])) <= 1e-6) {
			t.Fatalf("%v, want %v", got.Data, x)
		}
	}
}

func TestProx(t *testing.T) {
	p := &Prox{Mu: 0.5}
	got, err := p.Correct(vec(1, 2), vec(4, 4), vec(2, 8))
	want(t, got, err, 2, 0)
	statetest.Restart(t, p, &Prox{})
}

// Two rounds by hand, with a restart between them. After steps of gradients g the control variate has changed
// to g, whatever the server's is.
func TestScaffold(t *testing.T) {
	s := &Scaffold{Rate: 0.5}
	got, err := s.Correct(vec(1, 2), vec(0, 0))
	want(t, got, err, 1, 2)
	got, err = s.Renew(vec(10, 10), vec(8, 6), vec(0, 0), 4) // (x-y)/(4·0.5) is 1, 2
	want(t, got, err, 1, 2)
	s = statetest.Restart(t, s, &Scaffold{Rate: 0.5})
	got, err = s.Correct(vec(3, 3), vec(0.5, 0.25))
	want(t, got, err, 2.5, 1.25)
	got, err = s.Renew(vec(8, 6), vec(7, 6), vec(0.5, 0.25), 2) // 1, 0 less c
	want(t, got, err, 0.5, -0.25)
	got, err = s.Correct(vec(0, 0), vec(0, 0))
	want(t, got, err, -1.5, -1.75)
}

// Two rounds of a client and its server by hand.
func TestDyn(t *testing.T) {
	d, s := &Dyn{Alpha: 0.5}, &DynServer{Alpha: 0.5, Clients: 4}
	got, err := d.Correct(vec(1, 1), vec(2, 2), vec(0, 4))
	want(t, got, err, 2, 0)
	got, err = d.Renew(vec(0, 4), vec(2, 2))
	want(t, got, err, 2, 2)
	d = statetest.Restart(t, d, &Dyn{Alpha: 0.5})
	got, err = d.Correct(vec(0, 0), vec(0, 0), vec(0, 0)) // -h, where h is -1, 1
	want(t, got, err, 1, -1)

	got, err = s.Step(vec(0, 4), vec(2, 2), 2) // h is -0.5, 0.5
	want(t, got, err, 3, 1)
	s = statetest.Restart(t, s, &DynServer{Alpha: 0.5, Clients: 4})
	got, err = s.Step(vec(3, 1), vec(3, 1), 4)
	want(t, got, err, 4, 0)
}

// Effective steps are the sum of the paper's a: with momentum Σ(1-ρ^k)/(1-ρ), with a
// proximal term Σ(1-ημ)^k.
func TestNova(t *testing.T) {
	for _, n := range []Nova{{}, {Momentum: 0.9}, {Proximal: 0.1}} {
		sum := 0.0
		for k := range 7 {
			switch {
			case n.Momentum > 0:
				sum += (1 - math.Pow(n.Momentum, float64(k+1))) / (1 - n.Momentum)
			case n.Proximal > 0:
				sum += math.Pow(1-n.Proximal, float64(k))
			default:
				sum++
			}
		}
		if got, err := n.Effective(7); err != nil || !(math.Abs(float64(got)-sum) <= 1e-5) {
			t.Errorf("%+v: 7 steps count as %v (%v), want %v", n, got, err, sum)
		}
		got, err := n.Normalized(vec(1, 1), vec(1+float32(sum), 1-2*float32(sum)), 7)
		want(t, got, err, 1, -2)
		statetest.Restart(t, &n, &Nova{})
	}
}

// Invalid configurations, models of other shapes, and values that are not finite are refused without effect.
func TestRefuses(t *testing.T) {
	for text, c := range map[string]interface{ Open(runtime.Env) error }{
		"Mu is 0": &Prox{}, "Rate is -1": &Scaffold{Rate: -1}, "drift.Dyn: Alpha is NaN": &Dyn{Alpha: math.NaN()}, "Clients is 0": &DynServer{Alpha: 1},
		"drift.DynServer: Alpha is +Inf": &DynServer{Alpha: math.Inf(1), Clients: 1}, "is 1, want": &Nova{Momentum: 1}, "want one of them": &Nova{Momentum: 0.5, Proximal: 0.5},
	} {
		if err := c.Open(runtime.Env{}); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%+v: %v, want %s", c, err, text)
		}
	}
	inf := float32(math.Inf(1))
	d, s := &Dyn{Alpha: 1}, &Scaffold{Rate: 1}
	refused := func(text string, _ vector, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %s", err, text)
		}
	}
	_, err := d.Renew(vec(0, 0), vec(inf, 0))
	refused("not finite", vector{}, err)
	got, err := d.Correct(vec(1, 1), vec(0, 0), vec(0, 0))
	want(t, got, err, 1, 1)
	_, err = s.Renew(vec(0, 0), vec(inf, 0), vec(0, 0), 1)
	refused("not finite", vector{}, err)
	got, err = s.Correct(vec(1, 1), vec(0, 0))
	want(t, got, err, 1, 1)
	_, err = s.Renew(vec(0, 0), vec(0, 0), vec(0, 0), 0)
	refused("0 steps", vector{}, err)
	_, err = s.Correct(vec(1), vec(1))
	refused("earlier rounds, [2]", vector{}, err)
	_, err = d.Correct(vec(1, 1), vec(1), vec(1))
	refused("shapes [2] and [1]", vector{}, err)
	_, err = new(Nova).Normalized(vec(1), vec(1), 0)
	refused("0 steps", vector{}, err)
}

// quadratic is a client whose loss is a/2·(x-b)².
type quadratic struct{ a, b float64 }

// federate returns the distance of the model from the optimum after rounds of local steps, with a correction in
// each step.
func federate(t *testing.T, step func(k int, gradient, y, x, c float32) float32, end func(k int, x, y, c float32) float32, steps []int) float64 {
	t.Helper()
	clients := []quadratic{{1, 2}, {4, -1}}
	best := (1.0*2 - 4) / 5
	x, c := float32(3), float32(0)
	for range 300 {
		var mean, control float32
		for k, q := range clients {
			y := x
			for range steps[k] {
				y -= 0.05 * step(k, float32(q.a*(float64(y)-q.b)), y, x, c)
			}
			mean += y / 2
			if end != nil {
				control += end(k, x, y, c) / 2
			}
		}
		x, c = mean, c+control
	}
	return math.Abs(float64(x) - best)
}

// Clients whose curvatures and minima differ drift apart: FedAvg converges away from the optimum, FedProx
// nearer to it, and SCAFFOLD to it, as in their papers.
func TestOrder(t *testing.T) {
	ten := []int{10, 10}
	scaffolds := []*Scaffold{{Rate: 0.05}, {Rate: 0.05}}
	prox := &Prox{Mu: 5}
	average := federate(t, func(_ int, g, _, _, _ float32) float32 { return g }, nil, ten)
	proximal := federate(t, func(_ int, g, y, x, _ float32) float32 {
		out, err := prox.Correct(vec(g), vec(y), vec(x))
		want(t, out, err, out.Data...)
		return out.Data[0]
	}, nil, ten)
	corrected := federate(t, func(k int, g, _, _, c float32) float32 {
		out, err := scaffolds[k].Correct(vec(g), vec(c))
		want(t, out, err, out.Data...)
		return out.Data[0]
	}, func(k int, x, y, c float32) float32 {
		out, err := scaffolds[k].Renew(vec(x), vec(y), vec(c), 10)
		want(t, out, err, out.Data...)
		return out.Data[0]
	}, ten)
	if !(corrected < 1e-5 && corrected < proximal && proximal < average && average > 0.1) {
		t.Errorf("SCAFFOLD is off by %v, FedProx by %v, FedAvg by %v, want them in this order, and SCAFFOLD at the best", corrected, proximal, average)
	}
}
