package drift

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// memory is a vector that a peer keeps from round to round. It begins as zeros.
type memory struct {
	own  tensor.Dense[float32] // of the model's shape; without a shape before the first round
	next tensor.Dense[float32] // buffer for the next value
	out  tensor.Dense[float32] // the last result
}

// begin gives the vector a model's shape.
func (m *memory) begin(shape []int) error {
	if m.own.Shape == nil {
		m.own.Resize(shape...)
		clear(m.own.Data)
	}
	if !slices.Equal(m.own.Shape, shape) {
		return fmt.Errorf("the model has shape %v, want that of earlier rounds, %v", shape, m.own.Shape)
	}
	return nil
}

// renew sets each element of the vector to f. The vector remains unchanged if a result is not finite.
func (m *memory) renew(f func(i int) float64, all ...tensor.Dense[float32]) error {
	if err := each(&m.next, f, all...); err != nil {
		return err
	}
	if !cpu.AllFinite(m.next.Data) {
		return errors.New("the model is not finite: want a smaller rate")
	}
	m.own, m.next = m.next, m.own
	return nil
}

// AppendBinary appends the vector.
func (m *memory) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendScalar(b, m.own.Shape != nil)
	if m.own.Shape != nil {
		b = values.AppendDense(b, m.own)
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (m *memory) UnmarshalBinary(b []byte) error {
	var begun bool
	var own tensor.Dense[float32]
	f := values.NewFields(b)
	if values.ReadScalar(f, &begun); begun {
		values.ReadDense(f, &own)
	}
	if err := f.End(); err != nil {
		return err
	}
	m.own = own
	return nil
}
