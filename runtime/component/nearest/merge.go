package nearest

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Merge implements the role Aggregator for hits of many shards: the nearest of all. A shard can only contribute
// hits of its own: those of other shards are refused, and so are more than were requested.
type Merge struct {
	K int // the number of hits to return

	rounds []round
	in     runtime.Round // the round of the next call
}

// round is the result of one execution so far.
type round struct {
	of    runtime.Round
	found Hits
}

// Enter sets the execution to which the following calls belong.
func (m *Merge) Enter(r runtime.Round) { m.in = r }

// Leave forgets the result of an execution.
func (m *Merge) Leave(r runtime.Round) {
	m.rounds = slices.DeleteFunc(m.rounds, func(x round) bool { return x.of == r })
}

// found returns the result of the calling execution so far.
func (m *Merge) found() *Hits {
	i := slices.IndexFunc(m.rounds, func(x round) bool { return x.of == m.in })
	if i < 0 {
		i = len(m.rounds)
		m.rounds = append(m.rounds, round{of: m.in})
	}
	return &m.rounds[i].found
}

// Open checks the configuration.
func (m *Merge) Open(runtime.Env) error {
	if m.K < 1 {
		return fmt.Errorf("nearest.Merge: K is %d, want 1 or more", m.K)
	}
	return nil
}

// Contribute adds the hits of a shard.
func (m *Merge) Contribute(n *runtime.Node, from wire.PeerID, h Hits, weight float32) error {
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
	found := m.found()
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
	found := *m.found()
	m.Leave(m.in)
	slices.Sort(found.Shards)
	return found, nil
}

// AppendBinary appends the results so far.
func (m *Merge) AppendBinary(b []byte) ([]byte, error) {
	b = runtime.AppendScalar(b, int64(len(m.rounds)))
	for i := range m.rounds {
		b, _ = m.rounds[i].of.AppendBinary(b)
		hits, _ := m.rounds[i].found.AppendBinary(nil)
		b = runtime.AppendDense(b, tensor.DenseOf(hits, len(hits)))
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (m *Merge) UnmarshalBinary(b []byte) error {
	var n int64
	var rounds []round
	f := runtime.NewFields(b)
	runtime.ReadScalar(f, &n)
	for range min(n, int64(len(b))) {
		var r round
		var hits tensor.Dense[uint8]
		runtime.ReadRound(f, &r.of)
		runtime.ReadDense(f, &hits)
		if err := r.found.UnmarshalBinary(hits.Data); err != nil {
			return err
		}
		rounds = append(rounds, r)
	}
	if err := f.End(); err != nil {
		return err
	}
	m.rounds = rounds
	return nil
}
