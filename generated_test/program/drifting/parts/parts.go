// Package parts contains the components of the clients of package drifting.
package parts

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Task is a loss a/2·(x-b)² in each element, with a and b that differ by client.
type Task struct {
	Rank int // set by Open
}

// Open stores the rank of the client.
func (t *Task) Open(env runtime.Env) error {
	t.Rank = env.Rank
	return nil
}

// Curvature is the a of a client.
func Curvature(rank int) float64 { return float64(1 + rank%3) }

// Minimum is the b of a client.
func Minimum(rank int) float64 { return float64(rank%4) - 1 }

// Steps returns the number of steps of a client in FedNova, which differs.
func Steps(rank int) int64 { return int64(1 + rank%4) }

// Best returns the optimal model for a number of clients.
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

// Trained returns the model after steps with a rate, and their number.
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

// AppendBinary appends nothing, as there is no state.
func (t *Task) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads the output of AppendBinary.
func (t *Task) UnmarshalBinary(b []byte) error { return values.NewFields(b).End() }
