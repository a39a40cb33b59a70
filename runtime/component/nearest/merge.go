package nearest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/byround"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Merge implements the role Aggregator for hits of many shards: the nearest of all. A shard can only contribute
// hits of its own: those of other shards are refused, and so are more than were requested.
type Merge struct {
	K int // the number of hits to return

	found byround.Values[Hits] // so far
}

// Enter sets the execution to which the following calls belong.
func (m *Merge) Enter(r runtime.Round) { m.found.Enter(r) }

// Leave forgets the result of an execution.
func (m *Merge) Leave(r runtime.Round) { m.found.Leave(r) }

// Open checks the configuration.
func (m *Merge) Open(runtime.Env) error {
	if m.K < 1 {
		return fmt.Errorf("nearest.Merge: K is %d, want 1 or more", m.K)
	}
	return nil
}

// Contribute adds the hits of a shard.
func (m *Merge) Contribute(n runtime.Peer, from wire.PeerID, h Hits, weight float32) error {
	_, rank, _ := n.ClassOf(from)
	return m.take(int32(rank), h)
}

func (m *Merge) take(rank int32, h Hits) error {
	if len(h.List) > m.K {
		return fmt.Errorf("%d hits, want %d at most", len(h.List), m.K)
	}
	if len(h.Shards) != 1 || h.Shards[0] != rank {
		return fmt.Errorf("an answer of the shards %v, want %d", h.Shards, rank)
	}
	if i := slices.IndexFunc(h.List, func(x Hit) bool { return x.Shard != rank }); i >= 0 {
		return fmt.Errorf("hit %d is of shard %d, want %d", i, h.List[i].Shard, rank)
	}
	found := m.found.Begin()
	if slices.Contains(found.Shards, rank) {
		return fmt.Errorf("a second answer of shard %d", rank)
	}
	found.List = append(found.List, h.List...)
	slices.SortFunc(found.List, order)
	found.List = found.List[:min(m.K, len(found.List))]
	found.Shards = append(found.Shards, rank)
	return nil
}

// Aggregate returns the nearest hits, and the shards that have answered, by rank.
func (m *Merge) Aggregate() (Hits, error) {
	found := m.found.Begin()
	m.found.Take()
	slices.Sort(found.Shards)
	return *found, nil
}

// AppendBinary appends the results so far.
func (m *Merge) AppendBinary(b []byte) ([]byte, error) {
	return m.found.Append(b, func(b []byte, found *Hits) []byte {
		hits, _ := found.AppendBinary(nil)
		return values.AppendDense(b, tensor.DenseOf(hits, len(hits)))
	}), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (m *Merge) UnmarshalBinary(b []byte) error {
	var read byround.Values[Hits]
	f := values.NewFields(b)
	err := read.Read(f, func(f *values.Fields, found *Hits) error {
		var hits tensor.Dense[uint8]
		values.ReadDense(f, &hits)
		return found.UnmarshalBinary(hits.Data)
	})
	if err := cmp.Or(err, f.End()); err != nil {
		return err
	}
	m.found.Replace(read)
	return nil
}
