// Package parts holds components of random programs. What they compute depends on
// how often they were called, so that a call that is lost or made twice is seen in
// every value after it.
package parts

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Vec is the one type of value that random programs have.
type Vec = tensor.Dense[float64]

// Counter is called in place.
type Counter struct{ count counter }

// Step is x/2 + calls/8.
func (c *Counter) Step(x Vec) (Vec, error) { return c.count.next(x, 8), nil }

// AppendBinary appends the state, UnmarshalBinary sets it.
func (c *Counter) AppendBinary(b []byte) ([]byte, error) { return c.count.append(b), nil }

// UnmarshalBinary sets the state.
func (c *Counter) UnmarshalBinary(b []byte) error { return c.count.set(b) }

// Worker is called as a command.
type Worker struct{ count counter }

// Work is x/2 + calls/4.
func (w *Worker) Work(_ context.Context, x Vec) (Vec, error) { return w.count.next(x, 4), nil }

// AppendBinary appends the state.
func (w *Worker) AppendBinary(b []byte) ([]byte, error) { return w.count.append(b), nil }

// UnmarshalBinary sets the state.
func (w *Worker) UnmarshalBinary(b []byte) error { return w.count.set(b) }

// Mixer is an aggregator whose result depends on the order of the contributions.
type Mixer struct{ sum []float64 }

// Contribute makes the sum half of itself plus x.
func (m *Mixer) Contribute(_ wire.PeerID, x Vec, _ float32) error {
	if m.sum == nil {
		m.sum = make([]float64, len(x.Data))
	}
	for i, v := range x.Data {
		m.sum[i] = m.sum[i]/2 + v
	}
	return nil
}

// Aggregate is half the sum; the next one begins anew.
func (m *Mixer) Aggregate() (Vec, error) {
	if m.sum == nil {
		return Vec{}, fmt.Errorf("nobody has contributed")
	}
	out := m.sum
	m.sum = nil
	for i := range out {
		out[i] /= 2
	}
	return tensor.DenseOf(out, len(out)), nil
}

// AppendBinary appends the state, which between blocks is none.
func (m *Mixer) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary sets the state.
func (m *Mixer) UnmarshalBinary([]byte) error { return nil }

// counter counts calls.
type counter int

func (c *counter) next(x Vec, part float64) Vec {
	*c++
	out := make([]float64, len(x.Data))
	for i, v := range x.Data {
		out[i] = v/2 + float64(*c)/part
	}
	return tensor.DenseOf(out, x.Shape...)
}

func (c *counter) append(b []byte) []byte { return binary.AppendUvarint(b, uint64(*c)) }

func (c *counter) set(b []byte) error {
	v, n := binary.Uvarint(b)
	if n != len(b) || n <= 0 {
		return fmt.Errorf("got %d bytes, want a number", len(b))
	}
	*c = counter(v)
	return nil
}
