package dp

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Discrete writes changes in integers with a part of the noise, so that their sum has all
// of it: P. Kairouz, Z. Liu and T. Steinke, "The Distributed Discrete Gaussian Mechanism
// for Federated Learning with Secure Aggregation", 2021. Both ends have the same
// configuration. Without noise it is fixed point.
type Discrete struct {
	Clip   float64 // what is longer is scaled down to this length
	Noise  float64 // deviation of the noise in the sum, divided by how much one peer can change it
	Peers  int     // so many at least are in each sum
	Levels int     // integers that Clip becomes; 0: 16384, or fewer where there is much noise
	source
}

// leastDeviation is of the noise of one peer, in integers: then the sum of discrete
// Gaussians spends no more than a Gaussian, but for a part that has no effect on ε.
const leastDeviation = 4

// Open says what is wrong with the configuration.
func (d *Discrete) Open(env runtime.Env) error {
	const most = 1 << 24
	if d.Levels < 0 || d.Levels > most {
		return fmt.Errorf("dp.Discrete: Levels is %d, want 0 to %d", d.Levels, most)
	}
	return cmp.Or(above0("dp.Discrete: Clip", d.Clip), atLeast("dp.Discrete: Noise", d.Noise, 0), atLeast("dp.Discrete: Peers", float64(d.Peers), 1), d.open(env))
}

// Privacy is the noise in the sum of what Encode returns on as many peers as there are at
// least.
func (d *Discrete) Privacy() (method string, noise, sampling float64) { return "Encode", d.Noise, 1 }

func (d *Discrete) levels() float64 {
	if d.Levels > 0 {
		return float64(d.Levels)
	}
	levels := 1.0 * (1 << 14)
	if d.Noise > 0 { // the noise of each peer stays below three quarters of what can be drawn
		levels = min(levels, math.Floor(0.75*math.Sqrt(mostSquare*float64(d.Peers))/d.Noise))
	}
	return max(levels, 1)
}

// gaussian is what the noise of each peer is drawn from for n elements. Rounding lengthens
// what was clipped by √n at most.
func (d *Discrete) gaussian(n int) (gaussian, error) {
	most := d.levels() + math.Sqrt(float64(n))
	square := math.Ceil(d.Noise * d.Noise * most * most / float64(d.Peers))
	switch {
	case square > mostSquare:
		return gaussian{}, fmt.Errorf("dp.Discrete: the noise of each peer has a deviation of %.0f for %d elements, want at most %v: set fewer Levels, or more Peers", math.Sqrt(square), n, math.Sqrt(mostSquare))
	case square < leastDeviation*leastDeviation:
		return gaussian{}, fmt.Errorf("dp.Discrete: the noise of each peer has a deviation of %.1f, want at least %v: set more Levels", math.Sqrt(square), leastDeviation)
	}
	return gaussian{uint64(square), uint64(math.Sqrt(square)) + 1}, nil
}

// Encode is x in integers, with a part of the noise. What is not finite is an error. Each
// element is rounded up or down by chance, so that none is moved on average.
func (d *Discrete) Encode(_ context.Context, x tensor.Dense[float32]) (tensor.Dense[int32], error) {
	square, err := squared(x.Data, 0)
	if err != nil {
		return tensor.Dense[int32]{}, err
	}
	noise := gaussian{}
	if d.Noise > 0 {
		if noise, err = d.gaussian(len(x.Data)); err != nil {
			return tensor.Dense[int32]{}, err
		}
	}
	scale, r := d.levels()/max(d.Clip, math.Sqrt(square)), d.next()
	y := tensor.NewDense[int32](x.Shape...)
	for i, v := range x.Data {
		z := float64(scale * float64(v))
		low := math.Floor(z)
		if r.Float64() < z-low {
			low++
		}
		y.Data[i] = int32(low)
		if noise.square > 0 {
			y.Data[i] += int32(noise.draw(r))
		}
	}
	return y, nil
}

// Mean is the mean of so many encoded changes, of their sum. Sums have room for 2³¹
// divided by Levels of them.
func (d *Discrete) Mean(_ context.Context, sum tensor.Dense[int32], peers float32) (tensor.Dense[float32], error) {
	if !(float64(peers) >= float64(d.Peers)) {
		return tensor.Dense[float32]{}, fmt.Errorf("dp.Discrete: %v peers are in the sum, want at least %d, for whom there is noise enough", peers, d.Peers)
	}
	scale := d.Clip / (d.levels() * float64(peers))
	y := tensor.NewDense[float32](sum.Shape...)
	for i, v := range sum.Data {
		y.Data[i] = float32(scale * float64(v))
	}
	return y, nil
}
