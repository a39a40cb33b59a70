package robust

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/shape"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Contributions are what peers have sent in each execution: see [runtime.Gatherer].
// Contributions that hold what is not finite, or have another shape than the model, are
// refused by name and change nothing.
type Contributions struct {
	// Shape is the model's. Nobody need say it: then it is that of what a loop carries,
	// or the one that most contributions of the first round have.
	Shape []int

	known  shape.Known // the model's shape, if Shape does not say it
	rounds []*round
	in     runtime.Round  // the one that the next call is of
	last   *tensor.Memory // of the last aggregate
}

// round is the contributions of one execution.
type round struct {
	of   runtime.Round
	list []contribution
}

// contribution is what one peer has sent.
type contribution struct {
	from   wire.PeerID
	weight float32
	x      tensor.Dense[float32]
	share  wire.Blob // in which x stands; nil: in memory of its own
}

// Enter says which execution the calls that follow are of.
func (c *Contributions) Enter(r runtime.Round) {
	c.known.Begin()
	c.in = r
}

// Leave forgets the contributions of an execution.
func (c *Contributions) Leave(r runtime.Round) {
	c.known.Begin()
	c.forget(r)
}

func (c *Contributions) forget(r runtime.Round) {
	c.rounds = slices.DeleteFunc(c.rounds, func(x *round) bool {
		if x.of != r {
			return false
		}
		for _, one := range x.list {
			one.release()
		}
		return true
	})
}

func (c *contribution) release() {
	if c.share != nil {
		c.share.Release()
	}
}

// Expect says which shape the model has: see [runtime.Shaped]. One without elements may
// still get its shape.
func (c *Contributions) Expect(shape []int) { c.known.Expect(shape) }

// Admit says what is wrong with the shape of a contribution.
func (c *Contributions) Admit(shape []int) error { return c.known.Admit(shape, c.Shape) }

// Contribute keeps what a peer sent.
func (c *Contributions) Contribute(ctx context.Context, from wire.PeerID, x *runtime.Large[float32], weight float32) error {
	if w := float64(weight); !(w > 0) || math.IsInf(w, 0) {
		return fmt.Errorf("the weight is %v, want a number above 0", weight)
	}
	if err := cmp.Or(ctx.Err(), c.known.Contributed(x.Shape(), c.Shape)); err != nil {
		return err
	}
	one, err := take(x)
	if err != nil {
		return err
	}
	if err := finite(one.x.Data); err != nil {
		one.release()
		return err
	}
	one.from, one.weight = from, weight
	r := c.round()
	r.list = append(r.list, one)
	return nil
}

// take keeps a tensor where it is, or as a copy.
func take(x *runtime.Large[float32]) (contribution, error) {
	shape := slices.Clone(x.Shape())
	if here, share, ok := x.Held(); ok {
		return contribution{x: tensor.DenseOf(here, shape...), share: share}, nil
	}
	all := make([]float32, 0, x.Len())
	for part, err := range x.Parts() {
		if err != nil {
			return contribution{}, err
		}
		all = append(all, part...)
	}
	return contribution{x: tensor.DenseOf(all, shape...)}, nil
}

// finite says which element is not finite.
func finite(x []float32) error {
	if cpu.AllFinite(x) {
		return nil
	}
	i := slices.IndexFunc(x, func(v float32) bool { return v-v != 0 })
	return fmt.Errorf("element %d is %v", i, x[i])
}

// round is the contributions in the execution that calls.
func (c *Contributions) round() *round {
	for _, r := range c.rounds {
		if r.of == c.in {
			return r
		}
	}
	r := &round{of: c.in}
	c.rounds = append(c.rounds, r)
	return r
}

// A Rule writes to dst what it makes of the contributions x, of which there is one at
// least. Each has as many elements as dst; the weights are those that peers claim.
type Rule func(dst []float32, x [][]float32, weights []float32) error

// Combine is what a rule makes of the contributions of the execution, which it forgets.
// They come in the order of their peers' identities, so that it does not matter who was
// faster. If the shape of the model is not known, it is the one that most of them have.
// The result is not changed before the next call.
func (c *Contributions) Combine(rule Rule) (tensor.Dense[float32], error) {
	defer c.forget(c.in)
	list := c.round().common()
	if len(list) == 0 {
		return tensor.Dense[float32]{}, errors.New("nobody has contributed")
	}
	slices.SortStableFunc(list, func(a, b contribution) int { return a.from.Compare(b.from) })
	var x [][]float32
	var weights []float32
	for _, one := range list {
		x, weights = append(x, one.x.Data), append(weights, one.weight)
	}
	c.last.Release()
	out := tensor.NewDense[float32](slices.Clone(list[0].x.Shape)...)
	c.last = out.Memory()
	if err := rule(out.Data, x, weights); err != nil {
		return tensor.Dense[float32]{}, err
	}
	c.known.Learn(out.Shape)
	return out, nil
}

// common are the contributions of the shape that most of them have, the first of several.
func (r *round) common() (most []contribution) {
	for _, a := range r.list {
		var same []contribution
		for _, b := range r.list {
			if slices.Equal(a.x.Shape, b.x.Shape) {
				same = append(same, b)
			}
		}
		if len(same) == len(r.list) {
			return same
		}
		if len(same) > len(most) {
			most = same
		}
	}
	return most
}
