// Package parts holds components of random programs. Their results depend on the number of calls, so that a
// lost or repeated call affects every later value.
package parts

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Vec is the only type of values in random programs.
type Vec = tensor.Dense[float64]

// Counter is called in place.
type Counter struct{ counter }

// Step returns x/2 + (calls + rank)/8.
func (c *Counter) Step(x Vec) (Vec, error) { return c.next(x, 8), nil }

// Worker is called as a command.
type Worker struct{ counter }

// Work returns x/2 + (calls + rank)/4.
func (w *Worker) Work(_ context.Context, x Vec) (Vec, error) { return w.next(x, 4), nil }

// Mixer is an aggregator whose result depends on the order of the contributions.
type Mixer struct{ sum []float64 }

// Contribute sets the sum to half of itself plus x.
func (m *Mixer) Contribute(_ wire.PeerID, x Vec, _ float32) error {
	if m.sum == nil {
		m.sum = make([]float64, len(x.Data))
	}
	for i, v := range x.Data {
		m.sum[i] = m.sum[i]/2 + v
	}
	return nil
}

// Aggregate returns half the sum, and clears it.
func (m *Mixer) Aggregate() (Vec, error) {
	if m.sum == nil {
		return Vec{}, fmt.Errorf("no peer has contributed")
	}
	out := m.sum
	m.sum = nil
	for i := range out {
		out[i] /= 2
	}
	return tensor.DenseOf(out, len(out)), nil
}

// AppendBinary appends nothing: there is no state between blocks.
func (m *Mixer) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary sets the state.
func (m *Mixer) UnmarshalBinary([]byte) error { return nil }

// FirstRanks selects the peers to answer: all others of a class if the peer is one of the first of its own class,
// otherwise none.
type FirstRanks struct {
	Ranks int
	rank  int
}

// Open sets the peer's rank.
func (s *FirstRanks) Open(e runtime.Env) error {
	s.rank = e.Rank
	return nil
}

// CurrentView returns all leaders, or none.
func (s *FirstRanks) CurrentView(n runtime.Peer) ([]wire.PeerID, error) {
	if s.rank >= s.Ranks {
		return nil, nil
	}
	return n.Peers(nil, "leader"), nil
}

// AppendBinary appends nothing: the state never changes.
func (s *FirstRanks) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary sets the state.
func (s *FirstRanks) UnmarshalBinary([]byte) error { return nil }

// counter counts calls, beginning at the peer's rank, so that results identify the peer.
type counter struct{ calls, rank int }

// Open sets the peer's rank.
func (c *counter) Open(e runtime.Env) error {
	c.rank = e.Rank
	return nil
}

func (c *counter) next(x Vec, part float64) Vec {
	c.calls++
	out := make([]float64, len(x.Data))
	for i, v := range x.Data {
		out[i] = v/2 + float64(c.calls+c.rank)/part
	}
	return tensor.DenseOf(out, x.Shape...)
}

// AppendBinary appends the state.
func (c *counter) AppendBinary(b []byte) ([]byte, error) {
	return binary.AppendUvarint(b, uint64(c.calls)), nil
}

// UnmarshalBinary sets the state.
func (c *counter) UnmarshalBinary(b []byte) error {
	v, n := binary.Uvarint(b)
	if n != len(b) || n <= 0 {
		return fmt.Errorf("got %d bytes, want a number", len(b))
	}
	c.calls = int(v)
	return nil
}
