package corpus

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/hnsw"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// distance is Euclidean.
func distance(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return math.Sqrt(sum)
}

// loaded returns a loader whose index has n vectors.
func loaded(t *testing.T, seed uint64, rank, n int) *Loader {
	t.Helper()
	env := runtime.Env{Seed: seed, Class: "shard", Rank: rank}
	l := &Loader{Index: &hnsw.Index{}, Each: n}
	if err := errors.Join(l.Index.Open(env), l.Open(env)); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Load(t.Context()); got != int64(n) || err != nil {
		t.Fatal(got, err)
	}
	return l
}

// The index of a shard finds the vectors that a search through all of them finds. It has fewer vectors than a search
// visits, and so is exact.
func TestLoadedIndex(t *testing.T) {
	const n, k = 50, 5
	l, vectors := loaded(t, 3, 1, n), Vectors(3, 1, n)
	for round := range 20 {
		q := Query(3, round, 4)
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(distance(vectors[a], q), distance(vectors[b], q)) })
		ids, _, err := l.Index.Search(tensor.DenseOf(q, Dim), k)
		if err != nil || len(ids.Data) != k {
			t.Fatal(ids.Data, err)
		}
		first, _, err := l.Index.Search(tensor.DenseOf(vectors[0], Dim), 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range ids.Data {
			if got := int(id - first.Data[0]); got != order[i] {
				t.Errorf("round %d: result %d is vector %d, want %d", round, i, got, order[i])
			}
		}
	}
}

// A query is about half a standard deviation from a vector: √Dim/2 = 2.4.
func TestQueryIsNear(t *testing.T) {
	const shards = 4
	var all [][]float32
	for shard := range shards {
		all = append(all, Vectors(1, shard, 100)...)
	}
	asker := Asker{Shards: shards}
	if err := asker.Open(runtime.Env{Seed: 1}); err != nil {
		t.Fatal(err)
	}
	hit := map[int]bool{}
	for round := range int64(40) {
		q, err := asker.Query(round)
		if err != nil || !slices.Equal(q.Shape, []int{Dim}) {
			t.Fatal(q.Shape, err)
		}
		near := 0
		for i, v := range all {
			if distance(v, q.Data) < distance(all[near], q.Data) {
				near = i
			}
		}
		if far := distance(all[near], q.Data); far > 4 {
			t.Errorf("round %d: the nearest vector is at %v", round, far)
		}
		hit[near/100] = true
	}
	if len(hit) != shards {
		t.Errorf("the queries are only for the shards %v", hit)
	}
}

// The mean survives a restart.
func TestMiddle(t *testing.T) {
	const n = 200
	l := loaded(t, 5, 0, n)
	b, err := l.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var again Loader
	if err := errors.Join(again.Open(runtime.Env{Seed: 5}), again.UnmarshalBinary(b)); err != nil {
		t.Fatal(err)
	}
	got, err := again.Middle(t.Context())
	if err != nil || !slices.Equal(got.Shape, []int{Dim}) {
		t.Fatal(got.Shape, err)
	}
	for k := range Dim {
		sum := 0.0
		for _, v := range Vectors(5, 0, n) {
			sum += float64(v[k])
		}
		if math.Abs(float64(got.Data[k])-sum/n) > 1e-5 {
			t.Errorf("element %d is %v, want %v", k, got.Data[k], sum/n)
		}
	}
	if again.UnmarshalBinary(b[:len(b)-1]) == nil {
		t.Error("a short state is no error")
	}
}

func TestLoadStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := Loader{Index: &hnsw.Index{}, Each: 10}
	if err := errors.Join(l.Index.Open(runtime.Env{}), l.Open(runtime.Env{})); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Load(ctx); !errors.Is(err, context.Canceled) || l.Index.Len() != 0 {
		t.Errorf("%v, with %d vectors", err, l.Index.Len())
	}
}

func TestAskerState(t *testing.T) {
	var a Asker
	if b, err := a.AppendBinary(nil); len(b) != 0 || err != nil || a.UnmarshalBinary(b) != nil {
		t.Errorf("%v %v", b, err)
	}
}
