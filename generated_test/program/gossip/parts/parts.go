// Package parts holds the components of the gossip program.
package parts

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Sensor holds the value of a peer, of which the program computes the mean.
type Sensor struct {
	Rank int // set by Open
}

// Open stores the rank of the peer.
func (s *Sensor) Open(env runtime.Env) error {
	s.Rank = env.Rank
	return nil
}

// Read returns the peer's value: its rank.
func (s *Sensor) Read() (tensor.Dense[float64], error) {
	return tensor.DenseOf([]float64{float64(s.Rank)}, 1), nil
}
