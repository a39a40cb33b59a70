// Package heavy has a component beside the program that it is for.
package heavy

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Client is a module.
type Client struct{}

// Body does nothing.
func (Client) Body(*dsl.Graph) {}

// Sensor fits.
type Sensor struct{}

// Read is what the program calls.
func (Sensor) Read(round int64) (tensor.Dense[float32], error) {
	return tensor.Dense[float32]{}, nil
}
