package nearest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/vector"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Centers holds the mean of each shard's vectors. Means may have any length: one that differs from that of a query is
// near none.
type Centers struct {
	shards  []wire.PeerID
	middles [][]float32 // in the order of shards
}

// maxShards is the maximum number of shards.
const maxShards = 1 << 16

// Know sets the mean of a shard's vectors.
func (c *Centers) Know(from wire.PeerID, middle tensor.Dense[float32]) error {
	if err := vector.Check(middle, 0); err != nil {
		return err
	}
	if i := slices.Index(c.shards, from); i >= 0 {
		c.middles[i] = slices.Clone(middle.Data)
		return nil
	}
	if len(c.shards) >= maxShards {
		return fmt.Errorf("the middles of %d shards are known already", len(c.shards))
	}
	c.shards, c.middles = append(c.shards, from), append(c.middles, slices.Clone(middle.Data))
	return nil
}

// check returns an error unless a query is a vector, and some mean has its length, if any is known.
func (c *Centers) check(query tensor.Dense[float32]) error {
	n := 0
	if len(c.middles) > 0 && !slices.ContainsFunc(c.middles, func(m []float32) bool { return len(m) == len(query.Data) }) {
		n = len(c.middles[0])
	}
	return vector.Check(query, n)
}

// nearest sorts shards by distance, then by their order, and returns the first k.
func (c *Centers) nearest(list []wire.PeerID, query []float32, k int) []wire.PeerID {
	far := func(p wire.PeerID) float64 {
		switch i := slices.Index(c.shards, p); {
		case i < 0:
			return 0
		case len(c.middles[i]) != len(query):
			return math.Inf(1)
		default:
			return vector.Square(c.middles[i], query)
		}
	}
	slices.SortStableFunc(list, func(a, b wire.PeerID) int { return cmp.Compare(far(a), far(b)) })
	return list[:min(max(k, 0), len(list))]
}

// View implements the role PeerSelector for shards whose vectors are near a query. Its field Centers is a
// component in another slot, set with Needs. Shards without a known mean count as the nearest.
type View struct {
	Class   string // of the shards
	Centers *Centers
}

// Open checks the configuration.
func (v *View) Open(runtime.Env) error {
	if v.Class == "" {
		return errors.New("nearest.View: want the Class of the shards")
	}
	return nil
}

// CurrentView returns all shards, by rank.
func (v *View) CurrentView(n runtime.Peer) ([]wire.PeerID, error) {
	return n.Peers(nil, v.Class), nil
}

// SelectNear returns the k connected shards with the nearest means to a query; if fewer are connected, those.
func (v *View) SelectNear(n runtime.Peer, query tensor.Dense[float32], k int) ([]wire.PeerID, error) {
	if err := v.Centers.check(query); err != nil {
		return nil, err
	}
	up := n.Healthy(nil, n.Peers(nil, v.Class))
	return v.Centers.nearest(up, query.Data, k), nil
}

// AppendBinary appends the means: as the rows of a matrix, or each for itself if their lengths differ.
func (c *Centers) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendPeers(b, c.shards)
	if n, alike := c.length(); alike {
		return values.AppendDense(b, tensor.DenseOf(slices.Concat(c.middles...), len(c.shards), n)), nil
	}
	for _, m := range c.middles {
		b = values.AppendDense(b, tensor.DenseOf(m, len(m)))
	}
	return b, nil
}

// length returns the length of the first mean, and whether all have it.
func (c *Centers) length() (n int, alike bool) {
	if len(c.middles) > 0 {
		n = len(c.middles[0])
	}
	return n, !slices.ContainsFunc(c.middles, func(m []float32) bool { return len(m) != n })
}

// UnmarshalBinary reads the output of AppendBinary.
func (c *Centers) UnmarshalBinary(b []byte) error {
	var read Centers
	f := values.NewFields(b)
	f.Peers(&read.shards)
	if err := cmp.Or(read.readMiddles(f), f.End()); err != nil {
		return err
	}
	*c = read
	return nil
}

// readMiddles reads the means of the shards.
func (c *Centers) readMiddles(f *values.Fields) error {
	var x tensor.Dense[float32]
	values.ReadDense(f, &x)
	if len(x.Shape) == 2 && x.Shape[0] == len(c.shards) {
		n := x.Shape[1]
		for i := range c.shards {
			c.middles = append(c.middles, slices.Clone(x.Data[i*n:][:n]))
		}
		return nil
	}
	for len(x.Shape) == 1 && len(c.middles) < len(c.shards) {
		if c.middles = append(c.middles, slices.Clone(x.Data)); len(c.middles) == len(c.shards) {
			return nil
		}
		values.ReadDense(f, &x)
	}
	return cmp.Or(f.Err(), fmt.Errorf("middles of shape %v for %d shards", x.Shape, len(c.shards)))
}
