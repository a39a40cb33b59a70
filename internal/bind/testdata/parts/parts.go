// Package parts has components that fit, and some that do not.
package parts

import (
	"context"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Sensor fits: Read is a command.
type Sensor struct {
	Start float32
	Every time.Duration
	Names []string
	Site  Site
}

// Site is a struct in a configuration.
type Site struct{ City string }

// Open is told where it runs.
func (s *Sensor) Open(runtime.Env) error { return nil }

// Read returns a command.
func (s *Sensor) Read(ctx context.Context, round int64) (tensor.Dense[float32], error) {
	return tensor.DenseOf([]float32{s.Start}, 1), nil
}

// Wrong has a Read of another type.
type Wrong struct{}

// Read takes no round.
func (Wrong) Read() (float32, error) { return 0, nil }

// Mute has no Read.
type Mute struct{}

// Forgetful has state that no snapshot holds.
type Forgetful struct{ reads int }

// Read counts.
func (f *Forgetful) Read(round int64) (tensor.Dense[float32], error) {
	f.reads++
	return tensor.Dense[float32]{}, nil
}

// House has a Sensor, which is what is in another slot, and one that it cannot
// have.
type House struct {
	Sensor *Sensor
	Wrong  *Mute
}

// Look takes its peer.
func (h *House) Look(p runtime.Peer, round int64) error { return nil }

// LookAround takes the node, more than components may call.
func (h *House) LookAround(n *runtime.Node, round int64) error { return nil }

// Engine is no whole backend, and Motor has another Run.
type (
	Engine struct{ Gears int }
	Motor  struct{ Engine }
)

// Load takes a graph.
func (Engine) Load(int, []byte) error { return nil }

// Retrieve has nothing.
func (Engine) Retrieve(int, int) (*tensor.Tensor, error) { return nil, nil }

// Run takes one input.
func (Motor) Run(context.Context, int, *tensor.Tensor) error { return nil }

// Note is a value that programs handle; Blot and Torn lack methods for that.
type (
	Note string
	Blot struct{}
	Torn struct{}
)

// AppendBinary appends it.
func (n Note) AppendBinary(b []byte) ([]byte, error) { return append(b, n...), nil }

// UnmarshalBinary reads it.
func (n *Note) UnmarshalBinary(b []byte) error { *n = Note(b); return nil }

// MarshalBinary writes what nothing reads.
func (Torn) MarshalBinary() ([]byte, error) { return nil, nil }
