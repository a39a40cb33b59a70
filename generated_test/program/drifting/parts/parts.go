// Package parts is what the clients of package drifting are made of.
package parts

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Task is a loss a/2·(x-b)² in each element, whose a and b differ by client.
type Task struct {
	Rank int // set by Open
}

// Open is told which client it is.
func (t *Task) Open(env runtime.Env) error {
	t.Rank = env.Rank
	return nil
}

// Curvature and Minimum are the a and the b of a client.
func Curvature(rank int) float64 { return float64(1 + rank%3) }
func Minimum(rank int) float64   { return float64(rank%4) - 1 }

// Steps returns how many steps a client takes in FedNova: they differ, too.
func Steps(rank int) int64 { return int64(1 + rank%4) }

// Best returns the model that is the best for so many clients.
func Best(clients int) float64 {
	var sum, weights float64
	for k := range clients {
		sum += Curvature(k) * Minimum(k)
		weights += Curvature(k)
	}
	return sum / weights
}

// Gradient is that of the client's loss.
func (t *Task) Gradient(x tensor.Dense[float32]) (tensor.Dense[float32], error) {
	y := x.Clone()
	for i, v := range y.Data {
		y.Data[i] = float32(Curvature(t.Rank) * (float64(v) - Minimum(t.Rank)))
	}
	return y, nil
}

// Trained returns the model after steps of a rate, and how many those were.
func (t *Task) Trained(x tensor.Dense[float32]) (tensor.Dense[float32], int64, error) {
	n := Steps(t.Rank)
	for range n {
		d, _ := t.Gradient(x)
		for i := range d.Data {
			d.Data[i] = x.Data[i] - Rate*d.Data[i]
		}
		x = d
	}
	return x, n, nil
}

// Rate is that of all steps.
const Rate = 0.1

// AppendBinary appends nothing: there is nothing to remember.
func (t *Task) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads what AppendBinary has written.
func (t *Task) UnmarshalBinary(b []byte) error { return runtime.NewFields(b).End() }
