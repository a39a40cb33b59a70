package model

import (
	"context"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// A Backend is a component that computes graphs with an engine of its own, for the role Backend. Its calls run
// one at a time on the host's worker, except Load.
type Backend interface {
	// Load is called once with each graph, an ONNX model, when the peer starts. Graphs are numbered from 0. The
	// bytes remain valid and must not be changed.
	Load(graph int, model []byte) error

	// Run computes a graph. The inputs, in the model's order, are borrowed until it
	// returns.
	Run(ctx context.Context, graph int, inputs ...*tensor.Tensor) error

	// Retrieve returns an output of the last Run of a graph. It is borrowed until the
	// next call.
	Retrieve(graph, output int) (*tensor.Tensor, error)
}

// Retrieve sets x to an output that a backend has computed.
func Retrieve[T tensor.Element](x *tensor.Dense[T], b Backend, graph, output int, dims ...int) error {
	t, err := b.Retrieve(graph, output)
	if err == nil {
		err = values.SetDense(x, t, dims...)
	}
	return wrong(graph, output, err)
}

// RetrieveScalar is [Retrieve] for an output of rank 0.
func RetrieveScalar[T tensor.Element](x *T, b Backend, graph, output int) error {
	t, err := b.Retrieve(graph, output)
	if err == nil {
		err = values.SetScalar(x, t)
	}
	return wrong(graph, output, err)
}

func wrong(graph, output int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("graph %d, output %d: %w", graph, output, err)
}
