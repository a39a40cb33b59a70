package nearest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/vector"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Centers holds the mean of each shard's vectors.
type Centers struct {
	dim     int // of the means; 0 before the first
	shards  []wire.PeerID
	middles []float32 // in the order of shards
}

// maxShards is the maximum number of shards.
const maxShards = 1 << 16

// Know sets the mean of a shard's vectors.
func (c *Centers) Know(from wire.PeerID, middle tensor.Dense[float32]) error {
	if err := vector.Check(middle, c.dim); err != nil {
		return err
	}
	if i := slices.Index(c.shards, from); i >= 0 {
		copy(c.middle(i), middle.Data)
		return nil
	}
	if len(c.shards) >= maxShards {
		return fmt.Errorf("the middles of %d shards are known already", len(c.shards))
	}
	c.dim = len(middle.Data)
	c.shards, c.middles = append(c.shards, from), append(c.middles, middle.Data...)
	return nil
}

func (c *Centers) middle(i int) []float32 { return c.middles[i*c.dim : (i+1)*c.dim] }

// nearest sorts shards by distance, then by their order, and returns the first k.
func (c *Centers) nearest(list []wire.PeerID, query []float32, k int) []wire.PeerID {
	far := func(p wire.PeerID) float64 {
		if i := slices.Index(c.shards, p); i >= 0 {
			return vector.Square(c.middle(i), query)
		}
		return 0
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
	if err := vector.Check(query, v.Centers.dim); err != nil {
		return nil, err
	}
	up := n.Healthy(nil, n.Peers(nil, v.Class))
	return v.Centers.nearest(up, query.Data, k), nil
}

// AppendBinary appends the means.
func (c *Centers) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendPeers(b, c.shards)
	return values.AppendDense(b, tensor.DenseOf(c.middles, len(c.shards), c.dim)), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (c *Centers) UnmarshalBinary(b []byte) error {
	var shards []wire.PeerID
	var middles tensor.Dense[float32]
	f := values.NewFields(b)
	f.Peers(&shards)
	values.ReadDense(f, &middles)
	if err := f.End(); err != nil {
		return err
	}
	if len(middles.Shape) != 2 || middles.Shape[0] != len(shards) {
		return fmt.Errorf("middles of shape %v for %d shards", middles.Shape, len(shards))
	}
	c.shards, c.middles, c.dim = shards, middles.Data, middles.Shape[1]
	return nil
}
