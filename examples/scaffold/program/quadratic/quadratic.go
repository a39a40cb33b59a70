// Package quadratic contains the learning task of the clients of example scaffold.
package quadratic

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Task has the loss x² + G·x on the first client and -G·x on the second: the functions of theorem II and of
// section 7 of the paper. The minimum of their mean is at 0 for any G; the larger G is, the more the clients'
// gradients differ.
type Task struct {
	G float64

	first bool
}

// Open stores the rank of the client.
func (t *Task) Open(env runtime.Env) error {
	if env.Rank > 1 {
		return fmt.Errorf("quadratic.Task: client %d, want two of them", env.Rank)
	}
	t.first = env.Rank == 0
	return nil
}

// Gradient returns the gradient of the client's loss.
func (t *Task) Gradient(x tensor.Dense[float32]) (tensor.Dense[float32], error) {
	y := x.Clone()
	for i, v := range y.Data {
		y.Data[i] = float32(-t.G)
		if t.first {
			y.Data[i] = float32(2*float64(v) + t.G)
		}
	}
	return y, nil
}

// AppendBinary appends nothing, as there is no state.
func (t *Task) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads the output of AppendBinary.
func (t *Task) UnmarshalBinary(b []byte) error { return values.NewFields(b).End() }
