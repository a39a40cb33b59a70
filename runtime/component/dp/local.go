package dp

import (
	"cmp"
	"context"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Local adds noise to values before they leave the peer: local differential privacy.
type Local struct {
	Clip  float64 // the maximum norm; longer values are scaled down
	Noise float64 // deviation of the noise, divided by Clip
	source
}

// Open checks the configuration.
func (l *Local) Open(env runtime.Env) error {
	return cmp.Or(checkPositive("dp.Local: Clip", l.Clip), checkMin("dp.Local: Noise", l.Noise, 0), l.open(env))
}

// Privacy returns the noise of each peer in the results of Add.
func (l *Local) Privacy() (method string, noise, sampling float64) { return "Add", l.Noise, 1 }

// Add returns x, clipped, with noise in each element. It returns an error if an element is not finite.
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
