package nearest

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func vec(x ...float32) tensor.Dense[float32] { return tensor.DenseOf(x, len(x)) }

// hits of a shard: numbers and distances.
func hits(t *testing.T, rank int, of map[uint64]float32) Hits {
	t.Helper()
	var p Pack
	if err := p.Open(runtime.Env{Rank: rank}); err != nil {
		t.Fatal(err)
	}
	var ids []uint64
	var distances []float32
	for id, d := range of {
		ids, distances = append(ids, id), append(distances, d)
	}
	h, err := p.Pack(tensor.DenseOf(ids, len(ids)), vec(distances...))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The hits of overlapping executions are merged separately, also after a restore. An execution that ends
// without its aggregate leaves no state.
func TestMerge(t *testing.T) {
	m := Merge{K: 3}
	one, two := runtime.Round{Exec: wire.ExecID{Number: 1}}, runtime.Round{Exec: wire.ExecID{Number: 2}}
	m.Enter(two)
	if err := m.take(2, hits(t, 2, map[uint64]float32{99: 0})); err != nil {
		t.Fatal(err)
	}
	for rank, of := range map[int]map[uint64]float32{2: {7: 1, 8: 5}, 0: {7: 2, 9: 0.5}, 1: {}} {
		m.Enter(one)
		if err := m.take(int32(rank), hits(t, rank, of)); err != nil {
			t.Fatal(err)
		}
	}
	m.Leave(two)
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	m = Merge{K: 3}
	if err := m.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	for n := range b {
		if err := new(Merge).UnmarshalBinary(b[:n]); err == nil {
			t.Errorf("the first %d bytes of the state are accepted", n)
		}
	}
	m.Enter(one)
	found, err := m.Aggregate()
	want := []Hit{{0, 9, 0.5}, {2, 7, 1}, {0, 7, 2}}
	if err != nil || !slices.Equal(found.List, want) || !slices.Equal(found.Shards, []int32{0, 1, 2}) {
		t.Errorf("found %v (%v), want %v of the shards 0, 1, 2", found, err, want)
	}
	for _, r := range []runtime.Round{one, two} {
		m.Enter(r)
		if found, err := m.Aggregate(); err != nil || len(found.List)+len(found.Shards) > 0 {
			t.Errorf("%v has left %v behind (%v)", r, found, err)
		}
	}
}

// A shard with too many hits, or with hits of another shard, is refused by name.
func TestMergeRefuses(t *testing.T) {
	m := Merge{K: 1}
	for want, h := range map[string]Hits{
		"2 hits, want 1":             hits(t, 1, map[uint64]float32{1: 0, 2: 0}),
		"an answer of the shards [2": hits(t, 2, nil),
		"an answer of the shards []": {},
		"hit 0 is of shard 3":        {List: []Hit{{3, 1, 0}}, Shards: []int32{1}},
	} {
		if err := m.take(1, h); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", h, err, want)
		}
	}
	if err := m.take(1, hits(t, 1, nil)); err != nil {
		t.Fatal(err)
	}
	if err := m.take(1, hits(t, 1, nil)); err == nil {
		t.Error("a shard answers twice")
	}
	if err := new(Merge).Open(runtime.Env{}); err == nil {
		t.Error("a merge of no hits is opened")
	}
}

// FuzzHits reads arbitrary bytes. Accepted hits are sorted.
func FuzzHits(f *testing.F) {
	h := Hits{List: []Hit{{1, 2, 0.5}, {1, 3, 0.5}, {0, 1, 2}}, Shards: []int32{0, 1}}
	b, err := h.AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	if len(b) > Size(3, 2) {
		f.Fatalf("%d bytes, Size says %d", len(b), Size(3, 2))
	}
	f.Add(b)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x7f})
	for n := range b {
		if err := new(Hits).UnmarshalBinary(b[:n]); err == nil {
			f.Fatalf("the first %d bytes are accepted", n)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var h Hits
		if h.UnmarshalBinary(b) != nil {
			return
		}
		for i, x := range h.List {
			if math.IsNaN(float64(x.Distance)) || x.Distance < 0 || i > 0 && x.Distance < h.List[i-1].Distance {
				t.Errorf("hit %d of %v is accepted", i, h)
			}
		}
		again, err := h.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var same Hits
		if err := same.UnmarshalBinary(again); err != nil || !slices.Equal(same.List, h.List) || !slices.Equal(same.Shards, h.Shards) {
			t.Errorf("%v is read as %v (%v)", h, same, err)
		}
	})
}

// Shards are sorted by the distance of their means; those without one come first.
func TestCenters(t *testing.T) {
	var c Centers
	p := make([]wire.PeerID, 4)
	for i := range p {
		var err error
		if p[i], err = wire.PeerIDOf(bytes.Repeat([]byte{byte(i + 1)}, 32)); err != nil {
			t.Fatal(err)
		}
	}
	for i, at := range []float32{5, 1, 3} {
		if err := c.Know(p[i], vec(0, at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Know(p[0], vec(0, 0.5)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []tensor.Dense[float32]{vec(), vec(0, float32(math.NaN()))} {
		if err := c.Know(p[3], bad); err == nil {
			t.Errorf("the middle %v is accepted", bad)
		}
	}
	b, err := c.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range b {
		if err := new(Centers).UnmarshalBinary(b[:n]); err == nil {
			t.Errorf("the first %d bytes of the state are accepted", n)
		}
	}
	c = Centers{}
	if err := c.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	got := c.nearest([]wire.PeerID{p[2], p[1], p[0], p[3]}, []float32{0, 0}, 3)
	if want := []wire.PeerID{p[3], p[0], p[1]}; !slices.Equal(got, want) {
		t.Errorf("nearest are %v, want %v", got, want)
	}
	if err := new(View).Open(runtime.Env{}); err == nil {
		t.Error("a view of no class is opened")
	}
}
