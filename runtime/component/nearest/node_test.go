package nearest

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func shard(i byte) wire.PeerID {
	p, err := wire.PeerIDOf(bytes.Repeat([]byte{i + 1}, 32))
	if err != nil {
		panic(err)
	}
	return p
}

// asker is a peer that knows four shards and another asker.
func asker(t *testing.T) *runtime.Node {
	t.Helper()
	c := runtime.Config{Self: shard(8), Incarnation: 1}
	for i := range byte(4) {
		c.Peers = append(c.Peers, runtime.PeerConfig{ID: shard(i), Class: "shard", Rank: int(i)})
	}
	c.Peers = append(c.Peers, runtime.PeerConfig{ID: shard(9), Class: "asker", Rank: 1})
	n, err := runtime.New(c, &runtime.Partition{Class: "asker"})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A query goes to the shards whose means are near, and to those whose mean is unknown; never to a peer of another class.
func TestSelectNear(t *testing.T) {
	n, c := asker(t), &Centers{}
	for i, middle := range [][]float32{{0, 0}, {10, 0}, {3, 0}} { // none of shard 3
		if err := c.Know(shard(byte(i)), vec(middle...)); err != nil {
			t.Fatal(err)
		}
	}
	v := &View{Class: "shard", Centers: c}
	all, err := v.CurrentView(n)
	if err != nil || !slices.Equal(all, []wire.PeerID{shard(0), shard(1), shard(2), shard(3)}) {
		t.Errorf("the view is %v (%v), want all shards", all, err)
	}
	for k, want := range map[int][]wire.PeerID{
		-1: {}, 2: {shard(3), shard(1)}, 3: {shard(3), shard(1), shard(2)}, 9: {shard(3), shard(1), shard(2), shard(0)},
	} {
		if got, err := v.SelectNear(n, vec(9, 1), k); err != nil || !slices.Equal(got, want) {
			t.Errorf("the %d nearest are %v (%v), want %v", k, got, err, want)
		}
	}
	for _, query := range [][]float32{{1}, {1, 2, 3}, {1, float32(math.NaN())}} {
		if got, err := v.SelectNear(n, vec(query...), 1); err == nil {
			t.Errorf("%v are near %v, which is no vector of the index", got, query)
		}
	}
	if err := v.Open(runtime.Env{}); err != nil {
		t.Error(err)
	}
}

// A shard whose mean has another length than a query is near none, also if it is the first that is known.
func TestWrongLengthFirst(t *testing.T) {
	n, c := asker(t), &Centers{}
	v := &View{Class: "shard", Centers: c}
	for i, middle := range [][]float32{{9}, {10, 0}, {3, 0}, {9, 1, 0}} {
		if err := c.Know(shard(byte(i)), vec(middle...)); err != nil {
			t.Fatal(err)
		}
		c = statetest.Restart(t, c, &Centers{})
		v.Centers = c
	}
	for k, want := range map[int][]wire.PeerID{1: {shard(1)}, 2: {shard(1), shard(2)}, 3: {shard(1), shard(2), shard(0)}} {
		if got, err := v.SelectNear(n, vec(9, 1), k); err != nil || !slices.Equal(got, want) {
			t.Errorf("the %d nearest are %v (%v), want %v", k, got, err, want)
		}
	}
	if err := c.Know(shard(0), vec(9, 1)); err != nil {
		t.Fatal(err)
	}
	if got, err := v.SelectNear(n, vec(9, 1), 1); err != nil || !slices.Equal(got, []wire.PeerID{shard(0)}) {
		t.Errorf("the nearest is %v (%v), want shard 0, which has corrected its mean", got, err)
	}
	for _, bad := range [][]byte{append([]byte{0}, 2, 1, 1, 2, 3, 4), append([]byte{0}, 3, 1, 1)} {
		if err := c.UnmarshalBinary(bad); err == nil {
			t.Errorf("the state %v is accepted: it has more means than shards", bad)
		}
	}
}

// The rank of a shard is that of the peer which sends, whatever its hits say.
func TestContribute(t *testing.T) {
	n, m := asker(t), &Merge{K: 2}
	if err := m.Open(runtime.Env{}); err != nil {
		t.Fatal(err)
	}
	if err := m.Contribute(n, shard(2), hits(t, 2, map[uint64]float32{5: 1, 6: 2}), 1); err != nil {
		t.Fatal(err)
	}
	for want, h := range map[string]Hits{
		"an answer of the shards [2], want 1":   hits(t, 2, map[uint64]float32{5: 1}),
		"an answer of the shards [1 1], want 1": {Shards: []int32{1, 1}},
		"an answer of the shards [], want 1":    {},
		"3 hits, want 2 at most":                hits(t, 1, map[uint64]float32{5: 1, 6: 2, 7: 3}),
		"hit 0 is of shard 2, want 1":           {List: []Hit{{2, 5, 1}}, Shards: []int32{1}},
	} {
		if err := m.Contribute(n, shard(1), h, 1); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := m.Contribute(n, shard(1), hits(t, 1, map[uint64]float32{8: 1.5}), 1); err != nil {
		t.Fatal(err)
	}
	got, err := m.Aggregate()
	if want := []Hit{{2, 5, 1}, {1, 8, 1.5}}; err != nil || !slices.Equal(got.List, want) || !slices.Equal(got.Shards, []int32{1, 2}) {
		t.Errorf("got %v (%v), want %v of the shards 1 and 2", got, err, want)
	}
	if again, err := m.Aggregate(); err != nil || len(again.List)+len(again.Shards) > 0 {
		t.Errorf("the next round begins with %v (%v)", again, err)
	}
}

// Unpack is the inverse of what shards pack, and an index that returns nonsense is refused on its shard.
func TestPack(t *testing.T) {
	var p Pack
	if err := p.Open(runtime.Env{Rank: 3}); err != nil {
		t.Fatal(err)
	}
	h, err := p.Pack(tensor.DenseOf([]uint64{4, 9}, 2), vec(2, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	ranks, ids, distances, answered, err := p.Unpack(h)
	if err != nil || !slices.Equal(ranks.Data, []int32{3, 3}) || !slices.Equal(ids.Data, []uint64{9, 4}) ||
		!slices.Equal(distances.Data, []float32{0.5, 2}) || !slices.Equal(answered.Data, []int32{3}) {
		t.Errorf("got %v %v %v of %v (%v)", ranks.Data, ids.Data, distances.Data, answered.Data, err)
	}
	if b, _ := p.AppendBinary(nil); len(b) > 0 || p.UnmarshalBinary(nil) != nil {
		t.Errorf("it has a state of %d bytes, want none", len(b))
	}
	for want, in := range map[string]struct {
		ids []uint64
		far []float32
	}{
		"2 numbers for 1 distances":                {[]uint64{1, 2}, []float32{0}},
		"hit 0 is of shard 3 at a distance of -1":  {[]uint64{1}, []float32{-1}},
		"hit 1 is not farther than the one before": {[]uint64{1, 1}, []float32{2, 2}},
	} {
		if _, err := p.Pack(tensor.DenseOf(in.ids, len(in.ids)), vec(in.far...)); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
