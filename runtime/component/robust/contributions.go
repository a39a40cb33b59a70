package robust

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/byround"
	"github.com/bbgen/bbgen/runtime/component/internal/shape"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Contributions holds the contributions of peers in each execution: see [runtime.Gatherer]. Contributions that
// are not finite, or have another shape than the model, are refused by name without effect.
type Contributions struct {
	// Shape is the model's shape. If it is not set, it is that of the value that a loop carries, or of most
	// contributions of the first round.
	Shape []int

	known shape.Known // the model's shape, if Shape is not set
	lists byround.Values[[]contribution]
	last  *tensor.Memory // of the last aggregate
}

// contribution is the contribution of one peer.
type contribution struct {
	from   wire.PeerID
	weight float32
	x      tensor.Dense[float32]
	share  wire.Blob // a reference to the memory of x; nil: x has memory of its own
}

// Enter sets the execution to which the following calls belong.
func (c *Contributions) Enter(r runtime.Round) {
	c.known.Begin()
	c.lists.Enter(r)
}

// Leave forgets the contributions of an execution.
func (c *Contributions) Leave(r runtime.Round) {
	c.known.Begin()
	release(c.lists.Leave(r))
}

func release(lists []*[]contribution) {
	for _, l := range lists {
		for _, one := range *l {
			one.release()
		}
	}
}

func (c *contribution) release() {
	if c.share != nil {
		c.share.Release()
	}
}

// Expect sets the shape of the model: see [runtime.Shaped]. A tensor without elements may get its shape later.
func (c *Contributions) Expect(shape []int) { c.known.Expect(shape) }

// Admit returns an error if the shape of a contribution is wrong.
func (c *Contributions) Admit(shape []int) error { return c.known.Admit(shape, c.Shape) }

// Contribute keeps the contribution of a peer.
func (c *Contributions) Contribute(ctx context.Context, from wire.PeerID, x *values.Large[float32], weight float32) error {
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
	list := c.lists.Begin()
	*list = append(*list, one)
	return nil
}

// take keeps a tensor in place, or as a copy.
func take(x *values.Large[float32]) (contribution, error) {
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

// finite returns an error if an element is not finite.
func finite(x []float32) error {
	if cpu.AllFinite(x) {
		return nil
	}
	i := slices.IndexFunc(x, func(v float32) bool { return v-v != 0 })
	return fmt.Errorf("element %d is %v", i, x[i])
}

// A Rule sets dst to the aggregate of at least one contribution x. Each has as many elements as dst; the
// weights are those that peers claim.
type Rule func(dst []float32, x [][]float32, weights []float32) error

// Combine returns the aggregate of the execution's contributions by a rule, and forgets them. They are in the
// order of their peers' ids, independent of arrival. If the shape of the model is unknown, it is the most
// frequent one. The result is valid until the next call.
func (c *Contributions) Combine(rule Rule) (tensor.Dense[float32], error) {
	taken := c.lists.Take()
	if len(taken) == 0 {
		return tensor.Dense[float32]{}, errors.New("no peer has contributed")
	}
	defer release(taken)
	list := common(*taken[0])
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

// common returns the contributions of the most frequent shape, the first of several.
func common(list []contribution) (most []contribution) {
	for _, a := range list {
		var same []contribution
		for _, b := range list {
			if slices.Equal(a.x.Shape, b.x.Shape) {
				same = append(same, b)
			}
		}
		if len(same) == len(list) {
			return same
		}
		if len(same) > len(most) {
			most = same
		}
	}
	return most
}
