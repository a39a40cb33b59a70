package parts

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/analytics"
	"github.com/bbgen/bbgen/runtime/component/psi"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Counted is a histogram of the elements of all contributions.
type Counted struct{ analytics.Sum }

// bounds are those of histograms.
var bounds = tensor.DenseOf([]float32{-8, 8}, 2)

// Contribute counts the elements of a contribution.
func (c *Counted) Contribute(_ context.Context, from wire.PeerID, x *values.Large[float32], _ float32) error {
	for part, err := range x.Parts() {
		if err != nil {
			return err
		}
		counts, err := (&analytics.Histogram{Bins: 64}).Count(tensor.DenseOf(part, len(part)), bounds)
		if err != nil {
			return err
		}
		if err := c.Sum.Contribute(from, counts, 1); err != nil {
			return err
		}
	}
	return nil
}

// Aggregate returns the median of the elements, and the lower end of the bin that it is in.
func (c *Counted) Aggregate(context.Context) (Model, error) {
	counts, err := c.Sum.Aggregate()
	if err != nil {
		return Model{}, err
	}
	median := analytics.Quantile{At: 0.5}
	middle, err := median.Of(bounds, counts)
	if err != nil {
		return Model{}, err
	}
	bin, err := median.Narrow(bounds, counts)
	if err != nil {
		return Model{}, err
	}
	return tensor.DenseOf([]float32{middle, bin.Data[0]}, 2), nil
}

// words are the words or the identifiers of a peer.
type words []string

// Words returns them.
func (t words) Words() []string { return t }

// Ids returns them.
func (t words) Ids() []string { return t }

// Frequent finds the words that two peers have.
type Frequent struct{ stateless }

// Step returns a with twice the number of words that both peers have: half of the integers of a and b.
func (*Frequent) Step(a, b Model) (Model, error) {
	peers := []words{halves(a), halves(b)}
	hitters := analytics.Hitters{Least: 2}
	asked, err := hitters.First()
	for done := false; err == nil && !done; {
		var votes tensor.Dense[int32]
		for _, list := range peers {
			x, err := (&analytics.Voter{Words: list}).Votes(asked)
			if err != nil {
				return a, err
			}
			votes = added(votes, x)
		}
		asked, done, err = hitters.Grow(asked, votes)
	}
	return withFirst(a, float32(len(asked.Data))), err
}

// halves returns the halves of the integers next to the elements of x, as text.
func halves(x Model) (list words) {
	for _, v := range x.Data {
		list = append(list, strconv.Itoa(int(v)/2))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func added(sum, x tensor.Dense[int32]) tensor.Dense[int32] {
	if sum.Len() == 0 {
		return x.Clone()
	}
	for i, v := range x.Data {
		sum.Data[i] += v
	}
	return sum
}

// withFirst returns x with its first element moved toward a number, so that values stay small.
func withFirst(x Model, v float32) Model {
	y := x.Clone()
	y.Data[0] = (y.Data[0] + v) / 2
	return y
}

// Common is the two ends of an intersection.
type Common struct {
	asker    psi.Asker
	answerer psi.Answerer
}

// Open draws the secrets.
func (c *Common) Open(env runtime.Env) error {
	if err := c.asker.Open(env); err != nil {
		return err
	}
	return c.answerer.Open(env)
}

// Step returns a with the number of identifiers that both ends have. They must be in the same order at both.
func (c *Common) Step(a, b Model) (Model, error) {
	ctx := context.Background()
	mine, others := halves(a), halves(b)
	c.asker.Ids, c.answerer.Ids = mine, others
	asked, err := c.asker.Ask(ctx, 0)
	if err != nil {
		return a, err
	}
	twice, own, err := c.answerer.Answer(ctx, asked)
	if err != nil {
		return a, err
	}
	rows, picks, err := c.asker.Match(ctx, twice, own)
	if err != nil {
		return a, err
	}
	theirs, err := c.answerer.Rows(ctx, picks)
	if err != nil {
		return a, err
	}
	for i, row := range rows.Data {
		if x, y := mine[row], others[theirs.Data[i]]; x != y {
			return a, fmt.Errorf("row %d is %s at one end and %s at the other", i, x, y)
		}
	}
	return withFirst(a, float32(len(rows.Data))), nil
}

// AppendBinary appends the state of both ends.
func (c *Common) AppendBinary(b []byte) ([]byte, error) { return appendBoth(b, &c.asker, &c.answerer) }

// UnmarshalBinary sets the state of both ends.
func (c *Common) UnmarshalBinary(b []byte) error { return readBoth(b, &c.asker, &c.answerer) }
