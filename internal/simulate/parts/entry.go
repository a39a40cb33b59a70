package parts

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Entry is set by a Bootstrap and mixed with later values.
type Entry struct {
	x    []float64
	sets int64
}

// Set stores a value.
func (e *Entry) Set(x Vec) error {
	e.sets++
	e.x = append(e.x[:0], x.Data...)
	return nil
}

// Mix returns the mean of x and the stored value, plus an eighth for each call of Set.
func (e *Entry) Mix(x Vec) (Vec, error) {
	if e.sets == 0 {
		return Vec{}, errors.New("the bootstrap has not run")
	}
	out := make([]float64, len(x.Data))
	for i, v := range x.Data {
		out[i] = (v+e.x[i])/2 + float64(e.sets)/8
	}
	return tensor.DenseOf(out, len(out)), nil
}

// AppendBinary appends the state.
func (e *Entry) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendScalar(b, e.sets)
	for _, v := range e.x {
		b = values.AppendScalar(b, v)
	}
	return b, nil
}

// UnmarshalBinary sets the state.
func (e *Entry) UnmarshalBinary(b []byte) error {
	r := values.NewFields(b)
	values.ReadScalar(r, &e.sets)
	e.x = make([]float64, max(len(b)-8, 0)/8) // r.End refuses what is too short
	for i := range e.x {
		values.ReadScalar(r, &e.x[i])
	}
	return r.End()
}
