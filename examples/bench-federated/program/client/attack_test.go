package client

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/examples/bench-federated/program/task"
	"github.com/bbgen/bbgen/runtime/tensor"
)

var generated = task.Config{Name: "synthetic", Clients: 4, Skew: 1}

// sent returns the change of a client in the first round.
func sent(t *testing.T, c Client, rank int) []float32 {
	t.Helper()
	c.Task = generated
	o := opened(t, c, rank)
	size := o.task.Size()
	zero := func() vector { return tensor.DenseOf(make([]float32, size), size) }
	change, _, _, _, err := o.Train(t.Context(), zero(), zero(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return append([]float32(nil), change.Data...)
}

// The attack sends the mean of the honest clients' changes minus 1.5 of their standard deviations, for each parameter.
func TestLittle(t *testing.T) {
	const hostile = 1
	var honest [][]float32
	for rank := hostile; rank < generated.Clients; rank++ {
		honest = append(honest, sent(t, Client{}, rank))
	}
	n := float64(len(honest))
	for i, got := range sent(t, Client{Attack: "little", Hostile: hostile}, 0) {
		mean, variance := 0.0, 0.0
		for _, x := range honest {
			mean += float64(x[i]) / n
		}
		for _, x := range honest {
			variance += (float64(x[i]) - mean) * (float64(x[i]) - mean) / n
		}
		if want := mean - 1.5*math.Sqrt(variance); math.Abs(float64(got)-want) > 1e-5 {
			t.Fatalf("parameter %d is %v, want %v", i, got, want)
		}
	}
}

// A client with the attack sign sends the opposite of its own change, four times as large.
func TestSign(t *testing.T) {
	own := sent(t, Client{}, 0)
	for i, got := range sent(t, Client{Attack: "sign", Hostile: 1}, 0) {
		if got != -4*own[i] {
			t.Fatalf("parameter %d is %v, want %v", i, got, -4*own[i])
		}
	}
}

// linear is a task whose gradient is the index of each parameter times the parameter.
type linear struct{}

func (linear) Size() int    { return 30 }
func (linear) Samples() int { return 1 }
func (linear) Gradient(dst, model []float32, _ *rand.Rand) {
	for i, x := range model {
		dst[i] = float32(i) * x
	}
}

// Reversed labels are the same as a model with reversed classes: parameter k of class c gets the gradient of that of class
// 9-c.
func TestLabels(t *testing.T) {
	model, dst := make([]float32, 30), make([]float32, 30)
	for i := range model {
		model[i] = float32(1 + i)
	}
	flipped{linear{}}.Gradient(dst, model, nil)
	for i, got := range dst {
		if c, k := i/3, i%3; got != float32((9-c)*3+k)*model[i] {
			t.Errorf("class %d, parameter %d: %v", c, k, got)
		}
	}
	own, wrong := sent(t, Client{}, 0), sent(t, Client{Attack: "labels", Hostile: 1}, 0)
	size := len(own) / 10
	for i := range own { // all classes of the first model are equal, so that only their order differs
		if c, k := i/size, i%size; math.Abs(float64(wrong[i]-own[(9-c)*size+k])) > 1e-5 {
			t.Fatalf("class %d, parameter %d: %v, want %v", c, k, wrong[i], own[(9-c)*size+k])
		}
	}
}

// A client after the hostile ones is honest.
func TestHonest(t *testing.T) {
	own := sent(t, Client{}, 1)
	for i, got := range sent(t, Client{Attack: "sign", Hostile: 1}, 1) {
		if got != own[i] {
			t.Fatalf("parameter %d is %v, want %v", i, got, own[i])
		}
	}
}

func TestUnknownAttack(t *testing.T) {
	c := opened(t, Client{Attack: "none", Hostile: 1}, 0)
	if _, _, _, _, err := c.Train(t.Context(), tensor.DenseOf([]float32{1}, 1), tensor.DenseOf([]float32{0}, 1), 0); err == nil {
		t.Error("an unknown attack is no error")
	}
}
