package server

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/examples/bench-federated/program/task"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func opened(t *testing.T, strategy string) *Server {
	t.Helper()
	s := &Server{Task: task.Config{Name: "quadratic", Clients: 2, Skew: 10}, Strategy: strategy, Alpha: 2}
	if err := s.Open(runtime.Env{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// Each strategy makes two steps from 1 with the mean changes 2 and -1, whose results follow from its paper. The server
// restarts between them.
func TestStrategies(t *testing.T) {
	for strategy, want := range map[string][2]float64{
		"mean":    {1 + 2, 1 - 1},
		"fednova": {1 + 3*2, 1 - 3*1}, // changes for each of three steps
		"fedavgm": {1 + 2, 1 + 0.9*2 - 1},
		// v = Δ², and then v+Δ², from v = τ², with τ = 0.001 unless it is set
		"fedadagrad": {1 + 0.05*2/(math.Sqrt(4+1e-6)+1e-3), 1 - 0.05*1/(math.Sqrt(5+1e-6)+1e-3)},
		"fedadam": {
			1 + 0.05*0.1*2/(math.Sqrt(0.99*1e-4+0.01*4)+0.01),
			1 + 0.05*(0.9*0.1*2-0.1*1)/(math.Sqrt(0.99*(0.99*1e-4+0.01*4)+0.01*1)+0.01),
		},
		"fedyogi": {
			1 + 0.05*0.1*2/(math.Sqrt(1e-4+0.01*4)+0.01),
			1 + 0.05*(0.9*0.1*2-0.1*1)/(math.Sqrt(1e-4+0.01*4+0.01*1)+0.01),
		},
		// h = h-α·Δ with all clients, and the mean model minus h/α
		"feddyn": {1 + 2 + 2, 1 - 1 + 2 - 1},
	} {
		s := opened(t, strategy)
		for i, change := range []float32{2, -1} {
			one := func(x float32) vector { return tensor.DenseOf([]float32{x}, 1) }
			got, err := s.Step(one(1), one(change), one(3))
			if err != nil || math.Abs(float64(got.Data[0])-want[i]) > 1e-5 {
				t.Errorf("%s: step %d: %v %v, want %v", strategy, i, got.Data, err, want[i])
			}
			b, err := s.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			s = opened(t, strategy)
			if err := s.UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestFirst(t *testing.T) {
	s := opened(t, "")
	model, control, err := s.First()
	if err != nil || !slices.Equal(model.Data, []float32{1}) || !slices.Equal(control.Data, []float32{0}) {
		t.Errorf("%v %v %v, want the model 1 and the control variate 0", model.Data, control.Data, err)
	}
	loss, accuracy, err := s.Judge(t.Context(), tensor.DenseOf([]float32{-4}, 1))
	if loss != 4 || accuracy != 0 || err != nil {
		t.Errorf("%v %v %v, want the distance 4", loss, accuracy, err)
	}
}

func TestUnknownTask(t *testing.T) {
	if err := (&Server{Task: task.Config{Name: "none"}}).Open(runtime.Env{}); err == nil {
		t.Error("an unknown task is no error")
	}
}
