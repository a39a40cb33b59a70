// Package quadratic is what the clients of example scaffold learn from.
package quadratic

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Task has the loss x² + G·x on the first client and -G·x on the second: the functions of
// theorem II and of section 7 of the paper. Their mean is least at 0, whatever G is; the
// larger G is, the more do the clients' gradients differ.
type Task struct {
	G float64

	first bool
}

// Open is told which client it is.
func (t *Task) Open(env runtime.Env) error {
	if env.Rank > 1 {
		return fmt.Errorf("quadratic.Task: client %d, want two of them", env.Rank)
	}
	t.first = env.Rank == 0
	return nil
}

// Gradient is that of the client's loss.
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

// AppendBinary appends nothing: there is nothing to remember.
func (t *Task) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads what AppendBinary has written.
func (t *Task) UnmarshalBinary(b []byte) error { return runtime.NewFields(b).End() }
