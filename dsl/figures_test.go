package dsl

import (
	"context"
	"errors"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

type vector = tensor.Dense[float32]

// Thinned keeps every Step-th element, in four bytes, behind a header.
type Thinned struct{ Step, Header int }

func (c *Thinned) Encode(x vector) (tensor.Dense[uint8], error) {
	if c.Step == 0 {
		return tensor.Dense[uint8]{}, errors.New("Step is 0")
	}
	n := c.Header + 4*(len(x.Data)/c.Step)
	return tensor.DenseOf(make([]byte, n), n), nil
}

type (
	// Slow encodes as a command.
	Slow struct{ Thinned }
	// Says says how many bytes its encoding has.
	Says struct{ Thinned }
	// Closed cannot be opened.
	Closed struct{ Thinned }
	// Needing needs what only a peer has.
	Needing struct{ Thinned }
	// Typed encodes other values.
	Typed struct{}
)

func (c *Slow) Encode(_ context.Context, x vector) (tensor.Dense[uint8], error) {
	return c.Thinned.Encode(x)
}
func (*Says) EncodedBytes(n int) int { return 7 + n }
func (*Closed) Open(struct{}) error  { return errors.New("closed") }
func (*Needing) Open(s *string) error {
	_ = *s
	return nil
}
func (*Typed) Encode(x tensor.Dense[float64]) (tensor.Dense[uint8], error) {
	return tensor.Dense[uint8]{}, nil
}

// TestMeasured: the bytes of a codec are measured where it does not say them, and unknown where it cannot encode.
func TestMeasured(t *testing.T) {
	thinned := Thinned{Step: 8, Header: 20}
	for _, c := range []struct {
		codec any
		want  int // bytes of 4000 elements; 0: unknown
	}{
		{thinned, 2020}, {Slow{thinned}, 2020}, {Says{thinned}, 4007},
		{Thinned{}, 0}, {Closed{thinned}, 0}, {Needing{thinned}, 0}, {Typed{}, 0}, {struct{}{}, 0},
	} {
		switch e := Go(c.codec).table.Encoded; {
		case e == nil && c.want != 0, e != nil && e.Bytes(4000) != c.want:
			t.Errorf("%T: got %+v, want %d bytes of 4000 elements", c.codec, e, c.want)
		}
	}
}
