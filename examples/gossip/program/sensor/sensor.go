// Package sensor contains the simulated sensor of the peers of example gossip.
package sensor

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Sensor simulates a measurement: a temperature around 20 degrees.
type Sensor struct {
	Celsius float64 // set by Open
}

// Open draws the temperature.
func (s *Sensor) Open(env runtime.Env) error {
	s.Celsius = Celsius(env.Seed, env.Rank)
	return nil
}

// Celsius returns the temperature of a peer.
func Celsius(seed uint64, rank int) float64 {
	return 20 + 5*rand.New(rand.NewPCG(seed, uint64(rank))).NormFloat64()
}

// Read returns the temperature.
func (s *Sensor) Read() (tensor.Dense[float64], error) {
	return tensor.DenseOf([]float64{s.Celsius}, 1), nil
}
