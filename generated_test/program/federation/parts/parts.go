// Package parts contains the components of the clients of package federation.
package parts

import (
	"context"
	"errors"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Trainer pretends to train, as a command.
type Trainer struct {
	Short bool // it answers with one element, whatever the model is
	Fails bool // it fails, each time
}

// Train adds 1 to each element.
func (t *Trainer) Train(_ context.Context, x tensor.Dense[float32]) (tensor.Dense[float32], error) {
	if t.Fails {
		return x, errors.New("no space left on device")
	}
	n := len(x.Data)
	if t.Short {
		n = min(n, 1)
	}
	out := tensor.DenseOf(make([]float32, n), n)
	for i := range out.Data {
		out.Data[i] = x.Data[i] + 1
	}
	return out, nil
}
