package dp

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
	"github.com/bbgen/bbgen/runtime/component/internal/byround"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Average implements the role Aggregator: the mean of changes, clipped to Clip, with Gaussian noise, as in H.
// B. McMahan, D. Ramage, K. Talwar and L. Zhang, "Learning Differentially Private Recurrent Language Models",
// 2018. Each peer counts as one, whatever weight it claims.
type Average struct {
	Clip     float64 // the maximum norm of a change; longer ones are scaled down
	Noise    float64 // deviation of the noise in the sum, divided by Clip
	Sampling float64 // probability that a peer is asked, the Rate of a Sampler; 0: 1
	Peers    int     // the divisor of the sum; 0: the number of contributions

	// Quantile makes Clip adapt to the norms of the changes, so that this fraction of them is not clipped: G.
	// Andrew, O. Thakkar, H. B. McMahan and S. Ramaswamy, "Differentially Private Learning with Adaptive
	// Clipping", 2021. 0: Clip is fixed.
	Quantile float64
	Rate     float64 // the speed of adaptation; 0: 0.2

	Shape []int // the model's, if no loop carries it: see fedavg.Average

	sum    fedavg.Average
	clip   float64 // the adaptive clip; 0: Clip
	rounds byround.Values[round]
	source
}

// round is the contributions of an execution.
type round struct {
	clip  float64 // for all of them
	short int64   // how many were not clipped
}

// Open checks the configuration.
func (a *Average) Open(env runtime.Env) error {
	switch {
	case !(a.Sampling >= 0 && a.Sampling <= 1):
		return errors.New("dp.Average: Sampling is no probability")
	case a.Sampling > 0 && a.Sampling < 1 && a.Peers <= 0:
		return errors.New("dp.Average: Sampling without Peers: the mean shows how many took part, which sampling must hide; set Peers to how many do on average")
	case !(a.Quantile >= 0 && a.Quantile < 1):
		return errors.New("dp.Average: Quantile is not between 0 and 1")
	}
	a.sum.Shape = a.Shape
	return cmp.Or(checkPositive("dp.Average: Clip", a.Clip), checkMin("dp.Average: Noise", a.Noise, 0), checkMin("dp.Average: Peers", float64(a.Peers), 0),
		checkMin("dp.Average: Rate", a.Rate, 0), a.open(env))
}

// Privacy returns the noise in the results of Aggregate, and in the adaptation of the clip.
func (a *Average) Privacy() (method string, noise, sampling float64) {
	return "Aggregate", a.Noise, cmp.Or(a.Sampling, 1)
}

// Enter sets the execution to which the following calls belong.
func (a *Average) Enter(r runtime.Round) {
	a.rounds.Enter(r)
	a.sum.Enter(r)
}

// Leave forgets the contributions of an execution.
func (a *Average) Leave(r runtime.Round) {
	a.rounds.Leave(r)
	a.sum.Leave(r)
}

// Expect sets the shape of the model.
func (a *Average) Expect(shape []int) { a.sum.Expect(shape) }

// Admit returns an error if the shape of a contribution is wrong.
func (a *Average) Admit(shape []int) error { return a.sum.Admit(shape) }

// round returns the contributions of the calling execution. Its clip is fixed when it begins.
func (a *Average) round() *round {
	if r := a.rounds.First(); r != nil {
		return r
	}
	return a.rounds.Add(&round{clip: cmp.Or(a.clip, a.Clip)})
}

// Contribute adds a peer's change of the model.
func (a *Average) Contribute(ctx context.Context, from wire.PeerID, x *values.Large[float32], _ float32) error {
	r := a.round()
	a.sum.MaxNorm = r.clip
	length := 0.0
	if a.Quantile > 0 {
		var err error
		if length, err = norm(x); err != nil {
			return err
		}
	}
	if err := a.sum.Contribute(ctx, from, x, 1); err != nil {
		return err
	}
	if length <= r.clip {
		r.short++
	}
	return nil
}

// Aggregate returns the mean with noise. The result is valid until the next call.
func (a *Average) Aggregate(ctx context.Context) (tensor.Dense[float32], error) {
	mean, count, err := a.sum.AggregateWeighted(ctx)
	if err != nil {
		return mean, err
	}
	r, random := a.round(), a.next()
	divisor := cmp.Or(float64(a.Peers), float64(count))
	scale, noise := float64(count)/divisor, a.noise()*r.clip/divisor
	for i, v := range mean.Data {
		mean.Data[i] = float32(float64(scale*float64(v)) + float64(noise*random.NormFloat64()))
	}
	if a.Quantile > 0 {
		a.follow(r, divisor, random.NormFloat64())
	}
	a.rounds.Take()
	return mean, nil
}

// noise returns the noise of the sum as a multiple of the clip. With an adaptive clip, the count of short
// changes is revealed, too; both together have the privacy loss of Noise: their inverse squares add up to that
// of Noise.
func (a *Average) noise() float64 {
	if a.Quantile == 0 || a.Noise == 0 {
		return a.Noise
	}
	return 1 / math.Sqrt(1/(a.Noise*a.Noise)-1/(4*a.counted()*a.counted()))
}

// counted returns the deviation of the noise in the count, which each peer changes by at most a half: a
// twentieth of the number of peers, as in the paper; for few peers so much that the rest of the noise grows by
// a sixth.
func (a *Average) counted() float64 { return max(float64(a.Peers)/20, a.Noise) }

// follow moves the clip towards the quantile. It stays a number by which changes of float32 can be clipped, however long they all
// are longer or shorter.
func (a *Average) follow(r *round, peers, normal float64) {
	half := float64(r.short) - peers/2 + a.counted()*normal
	part := min(max(half/peers+0.5, 0), 1)
	clip := r.clip * math.Exp(-cmp.Or(a.Rate, 0.2)*(part-a.Quantile))
	a.clip = min(max(clip, math.SmallestNonzeroFloat32), math.MaxFloat32)
}

// AppendBinary appends the contributions so far, the clip, and the source of noise.
func (a *Average) AppendBinary(b []byte) ([]byte, error) {
	b, _ = a.source.AppendBinary(b)
	b = values.AppendScalar(b, a.clip)
	b = a.rounds.Append(b, func(b []byte, r *round) []byte { return values.AppendScalar(values.AppendScalar(b, r.clip), r.short) })
	sum, err := a.sum.AppendBinary(nil)
	return append(values.AppendScalar(b, int64(len(sum))), sum...), err
}

// UnmarshalBinary reads the output of AppendBinary.
func (a *Average) UnmarshalBinary(b []byte) error {
	var read Average
	var sum int64
	f := values.NewFields(b)
	read.source.read(f)
	values.ReadScalar(f, &read.clip)
	err := read.rounds.Read(f, func(f *values.Fields, r *round) error {
		values.ReadScalar(f, &r.clip)
		values.ReadScalar(f, &r.short)
		return nil
	})
	values.ReadScalar(f, &sum)
	inner := f.Bytes(int(min(max(sum, 0), int64(len(b)))))
	if err := cmp.Or(err, f.End()); err != nil {
		return err
	}
	if err := a.sum.UnmarshalBinary(inner); err != nil {
		return err
	}
	a.source, a.clip = read.source, read.clip
	a.rounds.Replace(read.rounds)
	return nil
}
