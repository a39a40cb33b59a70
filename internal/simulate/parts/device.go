package parts

import (
	"context"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/backend"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Device is an engine that computes one operator at a time.
type Device struct{ backend.Graphs[Vec] }

// Open makes it the engine of its graphs.
func (d *Device) Open(runtime.Env) error {
	d.Graphs.Engine = d
	return nil
}

// Operators returns the operators of Execute.
func (*Device) Operators() []string { return []string{"Add", "Mul"} }

// Materialize copies a tensor.
func (*Device) Materialize(t *tensor.Tensor) (Vec, error) {
	return tensor.DenseOf(tensor.Data[float64](t), t.Shape...).Clone(), nil
}

// Execute computes an operator. The second operand may have one element.
func (*Device) Execute(_ context.Context, o *backend.Operation, in []Vec) ([]Vec, error) {
	y := in[0].Clone()
	for i := range y.Data {
		v := in[1].Data[i%len(in[1].Data)]
		if o.Type == "Add" {
			y.Data[i] += v
		} else {
			y.Data[i] *= v
		}
	}
	return []Vec{y}, nil
}

// Read returns a value as a tensor.
func (*Device) Read(v Vec) (*tensor.Tensor, error) { return tensor.Of(v.Data, v.Shape...), nil }
