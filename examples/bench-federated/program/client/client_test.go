package client

import (
	"math"
	"testing"

	"github.com/bbgen/bbgen/examples/bench-federated/program/task"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The quadratic task of a client that is not the first has the gradient -G, ten steps and the rate 0.05.
const (
	skew = 10
	rate = 0.05
	n    = 10
)

func opened(t *testing.T, c Client, rank int) *Client {
	t.Helper()
	if c.Task.Name == "" {
		c.Task = task.Config{Name: "quadratic", Clients: 2, Skew: skew}
	}
	if err := c.Open(runtime.Env{Seed: 1, Class: "client", Rank: rank}); err != nil {
		t.Fatal(err)
	}
	return &c
}

// trained returns the results of a round of a model with one parameter.
func trained(t *testing.T, c *Client, model, control float32, round int64) (change, moved float64) {
	t.Helper()
	x, m, weight, steps, err := c.Train(t.Context(), tensor.DenseOf([]float32{model}, 1), tensor.DenseOf([]float32{control}, 1), round)
	if err != nil || weight != 1 || steps.Data[0] != n {
		t.Fatalf("weight %v, %v steps: %v", weight, steps.Data, err)
	}
	return float64(x.Data[0]), float64(m.Data[0])
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-4*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// With a proximal term μ·d the change d after all steps is (G/μ)·(1-(1-rate·μ)ⁿ): d becomes (1-rate·μ)·d+rate·G in a step.
func pulled(g, mu float64) float64 { return g / mu * (1 - math.Pow(1-rate*mu, n)) }

// The strategies make the steps of their papers, of which the change of a linear function has a closed form.
func TestStrategies(t *testing.T) {
	plain := opened(t, Client{}, 1)
	change, moved := trained(t, plain, 1, 3, 0)
	near(t, "mean", change, n*rate*skew)
	near(t, "mean: control", moved, 0)

	prox := opened(t, Client{Strategy: "fedprox", Mu: 2}, 1)
	change, _ = trained(t, prox, 1, 0, 0)
	near(t, "fedprox", change, pulled(skew, 2))

	nova := opened(t, Client{Strategy: "fednova"}, 1)
	change, _ = trained(t, nova, 1, 0, 0)
	near(t, "fednova", change, rate*skew)
}

// A client of SCAFFOLD adds the server's control variate to its gradients, and subtracts its own, which becomes the
// mean of its gradients: -G.
func TestScaffold(t *testing.T) {
	c := opened(t, Client{Strategy: "scaffold"}, 1)
	change, moved := trained(t, c, 1, 3, 0)
	near(t, "first change", change, -n*rate*(-skew+3))
	near(t, "first control", moved, -skew+0)
	change, moved = trained(t, restarted(t, c, Client{Strategy: "scaffold"}), 1, 4, 1)
	near(t, "second change", change, -n*rate*4)
	near(t, "second control", moved, 0)
}

// A client of FedDyn subtracts its state from its gradients, from which α·d is subtracted after each round.
func TestFedDyn(t *testing.T) {
	const alpha = 2
	config := Client{Strategy: "feddyn", Alpha: alpha}
	c := opened(t, config, 1)
	first, _ := trained(t, c, 1, 0, 0)
	near(t, "first round", first, pulled(skew, alpha))
	second, _ := trained(t, restarted(t, c, config), 1, 0, 1)
	near(t, "second round", second, pulled(skew-alpha*first, alpha))
}

// restarted returns a new client with the state of another.
func restarted(t *testing.T, c *Client, config Client) *Client {
	t.Helper()
	b, err := c.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	again := opened(t, config, c.env.Rank)
	if err := again.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return again
}

// All clients agree on the participants of each round, their number is right, and so is that of the late ones. One that
// does not take part sends no change, and one that is dropped does not count.
func TestParticipants(t *testing.T) {
	const clients, perRound, late = 10, 6, 3 // half of the participants are late
	for _, drop := range []bool{false, true} {
		for round := range int64(20) {
			absent, slow, dropped := 0, 0, 0
			for rank := range clients {
				c := opened(t, Client{
					Task:     task.Config{Name: "quadratic", Clients: clients, Skew: skew},
					PerRound: perRound, Stragglers: 0.5, Drop: drop,
				}, rank)
				change, _, weight, steps, err := c.Train(t.Context(), tensor.DenseOf([]float32{1}, 1), tensor.DenseOf([]float32{0}, 1), round)
				if err != nil || !(weight > 0) {
					t.Fatal(weight, err)
				}
				switch k := steps.Data[0]; {
				case k == 0:
					absent++
					if change.Data[0] != 0 || weight > 1e-9 {
						t.Errorf("round %d: client %d is absent: change %v, weight %v", round, rank, change.Data, weight)
					}
				case weight < 1e-9:
					dropped++
				case k < n:
					slow++
				case k > n:
					t.Errorf("%v steps", k)
				}
			}
			wantDropped := 0
			if drop {
				wantDropped = late
			}
			if absent != clients-perRound || dropped != wantDropped || slow > late-wantDropped {
				t.Errorf("round %d: %d absent, %d dropped, %d slow", round, absent, dropped, slow)
			}
		}
	}
}

func TestUnknownTask(t *testing.T) {
	if err := (&Client{Task: task.Config{Name: "none"}}).Open(runtime.Env{}); err == nil {
		t.Error("an unknown task is no error")
	}
}
