package parts

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func task(t *testing.T, rank int) *Task {
	t.Helper()
	k := &Task{}
	if err := k.Open(runtime.Env{Rank: rank}); err != nil {
		t.Fatal(err)
	}
	return k
}

func TestClients(t *testing.T) {
	for _, c := range []struct {
		rank               int
		curvature, minimum float64
		steps              int64
	}{
		{0, 1, -1, 1}, {2, 3, 1, 3}, {5, 3, 0, 2}, {7, 2, 2, 4},
	} {
		if a, b, n := Curvature(c.rank), Minimum(c.rank), Steps(c.rank); a != c.curvature || b != c.minimum || n != c.steps {
			t.Errorf("rank %d: got %v, %v and %v steps, want %v, %v and %v", c.rank, a, b, n, c.curvature, c.minimum, c.steps)
		}
	}
}

// TestBest: the best model is the mean of the minima, weighted by the curvatures.
func TestBest(t *testing.T) {
	for clients, want := range map[int]float64{1: -1, 2: -1.0 / 3, 4: 4.0 / 7} {
		if got := Best(clients); math.Abs(got-want) > 1e-15 {
			t.Errorf("%d clients: got %v, want %v", clients, got, want)
		}
	}
}

func TestGradient(t *testing.T) {
	x := tensor.DenseOf([]float32{1, 3}, 2)
	got, err := task(t, 2).Gradient(x) // 3·(x-1)
	if err != nil || !slices.Equal(got.Data, []float32{0, 6}) {
		t.Errorf("got %v, %v, want 0 and 6", got.Data, err)
	}
	if !slices.Equal(x.Data, []float32{1, 3}) {
		t.Errorf("the model has become %v", x.Data)
	}
}

func TestTrained(t *testing.T) {
	x := tensor.DenseOf([]float32{5, -10}, 2)
	got, n, err := task(t, 1).Trained(x) // two steps, each to x - 0.1·2·x
	if err != nil || n != 2 || len(got.Data) != 2 || math.Abs(float64(got.Data[0]-3.2)) > 1e-6 || math.Abs(float64(got.Data[1]+6.4)) > 1e-6 {
		t.Errorf("got %v after %d steps, %v, want 3.2 and -6.4 after 2", got.Data, n, err)
	}
	if !slices.Equal(x.Data, []float32{5, -10}) {
		t.Errorf("the model has become %v", x.Data)
	}
}

// TestState: there is none.
func TestState(t *testing.T) {
	k := task(t, 1)
	if b, err := k.AppendBinary([]byte("before")); err != nil || string(b) != "before" {
		t.Errorf("got %q, %v, want nothing more", b, err)
	}
	if err := k.UnmarshalBinary(nil); err != nil {
		t.Error(err)
	}
	if err := k.UnmarshalBinary([]byte{0}); err == nil {
		t.Error("a byte is accepted")
	}
}
