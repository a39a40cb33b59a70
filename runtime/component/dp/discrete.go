package dp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/keystream"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Discrete encodes changes as integers with a part of the noise, so that their sum has all of it: P. Kairouz,
// Z. Liu and T. Steinke, "The Distributed Discrete Gaussian Mechanism for Federated Learning with Secure
// Aggregation", 2021. Both ends must have the same configuration. Without noise it is fixed point.
type Discrete struct {
	Clip   float64 // the maximum norm; longer changes are scaled down
	Noise  float64 // deviation of the noise in the sum, divided by the maximum change by one peer
	Peers  int     // the minimum number of peers in each sum
	Levels int     // the integer value of Clip; 0: 16384, or less with much noise
	source

	encoded *tensor.Memory // of the last result
}

// leastDeviation is the minimum deviation of the noise of one peer, in integers: then the sum of discrete
// Gaussians has the loss of a Gaussian, except for a part that has no effect on ε.
const leastDeviation = 4

// Open checks the configuration.
func (d *Discrete) Open(env runtime.Env) error {
	const most = 1 << 24
	if d.Levels < 0 || d.Levels > most {
		return fmt.Errorf("dp.Discrete: Levels is %d, want 0 to %d", d.Levels, most)
	}
	return cmp.Or(checkPositive("dp.Discrete: Clip", d.Clip), checkMin("dp.Discrete: Noise", d.Noise, 0), checkMin("dp.Discrete: Peers", float64(d.Peers), 1), d.open(env))
}

// Privacy returns the noise in the sum of the encoded changes of the minimum number of peers.
func (d *Discrete) Privacy() (method string, noise, sampling float64) { return "Encode", d.Noise, 1 }

func (d *Discrete) levels() float64 {
	if d.Levels > 0 {
		return float64(d.Levels)
	}
	levels := 1.0 * (1 << 14)
	if d.Noise > 0 { // the noise of each peer is below three quarters of the range
		levels = min(levels, math.Floor(0.75*math.Sqrt(mostSquare*float64(d.Peers))/d.Noise))
	}
	return max(levels, 1)
}

// gaussian returns the distribution of each peer's noise for n elements. Rounding increases the norm by √n at
// most.
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

// Encode encodes x as integers, with a part of the noise. It returns an error if an element is not finite. Each
// element is rounded up or down randomly, without bias. The result is valid until the next call, and as long as others
// hold its memory.
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
	scale, seed := d.levels()/max(d.Clip, math.Sqrt(square)), d.seed()
	d.encoded.Release()
	y := tensor.NewDense[int32](x.Shape...)
	d.encoded = y.Memory()
	if noise.square == 0 {
		fixedPoint(y.Data, x.Data, scale, keystream.New(seed, 0))
		return y, nil
	}
	r := rand.New(rand.NewChaCha8(seed))
	for i, v := range x.Data {
		z := float64(scale * float64(v))
		low := math.Floor(z)
		if r.Float64() < z-low {
			low++
		}
		y.Data[i] = int32(low) + int32(noise.draw(r))
	}
	return y, nil
}

// fixedPoint rounds the elements of x times a scale up or down, without bias. Random numbers are made for a part that
// stays in the cache.
func fixedPoint(y []int32, x []float32, scale float64, r *keystream.Stream) {
	const most = 4096
	var random [most / 2]int32 // each is enough for two elements
	for len(x) > 0 {
		clear(random[:])
		r.Add(random[:], 1)
		n := min(most, len(x))
		cpu.FixedPoint(y[:n], x[:n], tensor.View[uint16](tensor.Raw(random[:]), 0, n), scale)
		x, y = x[n:], y[n:]
	}
}

// Mean returns the mean of count encoded changes from their sum. Sums have room for 2³¹ divided by Levels of
// them.
func (d *Discrete) Mean(_ context.Context, sum tensor.Dense[int32], peers float32) (tensor.Dense[float32], error) {
	if !(float64(peers) >= float64(d.Peers)) {
		return tensor.Dense[float32]{}, fmt.Errorf("dp.Discrete: the sum is of %v peers, want at least %d: their noise must be enough", peers, d.Peers)
	}
	scale := d.Clip / (d.levels() * float64(peers))
	y := tensor.NewDense[float32](sum.Shape...)
	for i, v := range sum.Data {
		y.Data[i] = float32(scale * float64(v))
	}
	return y, nil
}
