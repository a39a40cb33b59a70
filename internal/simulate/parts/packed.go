package parts

import (
	"context"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/component/dp"
)

// Packed is the encoding of two numbers in each integer of a masked sum.
type Packed struct{ dp.Packed }

// packedClip is the maximum norm, above those of most values.
const packedClip = 16

// NewPacked returns an encoding for sums of two peers.
func NewPacked() *Packed { return &Packed{Packed: dp.Packed{Clip: packedClip, Peers: 2}} }

// Step is the mean of two contributions, each of which is rounded and clipped.
func (p *Packed) Step(a, b Model) (Model, error) {
	sum, err := p.Encode(context.Background(), a)
	if err != nil {
		return a, err
	}
	sum = sum.Clone() // the next call may use its memory
	other, err := p.Encode(context.Background(), b)
	if err != nil {
		return a, err
	}
	mean, err := p.Mean(context.Background(), added(sum, other), 2)
	if err != nil {
		return a, err
	}
	x, y := clipped(a, packedClip), clipped(b, packedClip)
	for i, v := range mean.Data {
		if want := (x[i] + y[i]) / 2; math.Abs(float64(v)-want) > packedClip/16000. {
			return a, fmt.Errorf("element %d of the mean is %v, want %v", i, v, want)
		}
	}
	return mean, nil
}

// clipped returns x with a norm of at most most.
func clipped(x Model, most float64) (out []float64) {
	norm := 0.0
	for _, v := range x.Data {
		norm = math.Hypot(norm, float64(v))
	}
	for _, v := range x.Data {
		out = append(out, float64(v)*most/max(most, norm))
	}
	return out
}
