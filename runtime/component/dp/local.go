package dp

import (
	"cmp"
	"context"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Local adds noise before anything leaves the peer: local differential privacy.
type Local struct {
	Clip  float64 // what is longer is scaled down to this length
	Noise float64 // deviation of the noise, divided by Clip
	source
}

// Open says what is wrong with the configuration.
func (l *Local) Open(env runtime.Env) error {
	return cmp.Or(above0("dp.Local: Clip", l.Clip), atLeast("dp.Local: Noise", l.Noise, 0), l.open(env))
}

// Privacy is the noise that each peer has for itself in what Add returns.
func (l *Local) Privacy() (method string, noise, sampling float64) { return "Add", l.Noise, 1 }

// Add is x, no longer than the largest length, with noise in each element. What is not
// finite is an error.
func (l *Local) Add(_ context.Context, x tensor.Dense[float32]) (tensor.Dense[float32], error) {
	square, err := squared(x.Data, 0)
	if err != nil {
		return tensor.Dense[float32]{}, err
	}
	scale, noise, r := 1.0, l.Clip*l.Noise, l.next()
	if length := math.Sqrt(square); length > l.Clip {
		scale = l.Clip / length
	}
	y := tensor.NewDense[float32](x.Shape...)
	for i, v := range x.Data {
		y.Data[i] = float32(float64(scale*float64(v)) + float64(noise*r.NormFloat64()))
	}
	return y, nil
}
