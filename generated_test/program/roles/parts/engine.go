package parts

import (
	"context"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/backend"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Engine is a backend with three operators on tensors of one shape, which it computes one at a time.
type Engine struct{ backend.Graphs[vector] }

// vector is a tensor in the engine's own form.
type vector struct {
	x     []float32
	shape []int
}

// Open makes it the engine of its graphs.
func (e *Engine) Open(runtime.Env) error {
	e.Graphs.Engine = e
	return nil
}

// Operators returns the operators of Execute.
func (*Engine) Operators() []string { return []string{"Add", "Mul", "Neg"} }

// Materialize copies a tensor.
func (*Engine) Materialize(t *tensor.Tensor) (vector, error) {
	return vector{append([]float32(nil), tensor.Data[float32](t)...), append([]int(nil), t.Shape...)}, nil
}

// Execute computes an operator.
func (*Engine) Execute(_ context.Context, o *backend.Operation, in []vector) ([]vector, error) {
	a, b := in[0].x, in[len(in)-1].x
	out := make([]float32, len(a))
	for i := range out {
		switch o.Type {
		case "Add":
			out[i] = a[i] + b[i]
		case "Mul":
			out[i] = float32(a[i] * b[i])
		case "Neg":
			out[i] = -a[i]
		}
	}
	return []vector{{out, in[0].shape}}, nil
}

// Read returns a tensor with the elements.
func (*Engine) Read(v vector) (*tensor.Tensor, error) { return tensor.Of(v.x, v.shape...), nil }
