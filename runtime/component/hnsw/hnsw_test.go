package hnsw

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/flat"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func vec(x ...float32) tensor.Dense[float32] { return tensor.DenseOf(x, len(x)) }

// pair is an index, and an exact one for comparison.
type pair struct {
	Index
	exact flat.Index
	live  []uint64
}

func (p *pair) add(t *testing.T, v []float32) {
	t.Helper()
	id, err := p.Add(vec(v...))
	if err != nil {
		t.Fatal(err)
	}
	if want, err := p.exact.Add(vec(v...)); err != nil || id != want {
		t.Fatalf("number %d, want %d (%v)", id, want, err)
	}
	p.live = append(p.live, id)
}

func (p *pair) removeAt(t *testing.T, i int) {
	t.Helper()
	id := p.live[i]
	p.live = slices.Delete(p.live, i, i+1)
	if err := p.Remove(id); err != nil {
		t.Fatal(err)
	}
	if err := p.exact.Remove(id); err != nil {
		t.Fatal(err)
	}
}

// recall returns the part of the k nearest that are found.
func (p *pair) recall(t *testing.T, queries [][]float32, k int) float64 {
	t.Helper()
	found, wanted := 0, 0
	for _, q := range queries {
		got, gotAt, err := p.Search(vec(q...), k)
		if err != nil {
			t.Fatal(err)
		}
		want, wantAt, err := p.exact.Search(vec(q...), k)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Data) != len(want.Data) {
			t.Fatalf("%d hits, want %d", len(got.Data), len(want.Data))
		}
		for i, d := range gotAt.Data {
			if d <= wantAt.Data[len(wantAt.Data)-1] {
				found++
			}
			if i > 0 && d < gotAt.Data[i-1] {
				t.Fatalf("hit %d is at %v, behind one at %v", i, d, gotAt.Data[i-1])
			}
		}
		wanted += len(want.Data)
	}
	return float64(found) / float64(wanted)
}

// clouds returns vectors around some centers, one cloud after the other.
func clouds(r *rand.Rand, centers, each, dim int, spread float32) [][]float32 {
	var out [][]float32
	for range centers {
		center := make([]float32, dim)
		for i := range center {
			center[i] = float32(r.NormFloat64())
		}
		for range each {
			v := slices.Clone(center)
			for i := range v {
				v[i] += spread * float32(r.NormFloat64())
			}
			out = append(out, v)
		}
	}
	return out
}

// Almost all of the nearest ten are found for all kinds of vectors: similar ones, consecutive clouds, or many
// duplicates; also after most have been removed.
func TestRecall(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var copies [][]float32
	for _, v := range clouds(r, 20, 1, 8, 0) {
		for range 75 {
			copies = append(copies, v)
		}
	}
	for name, all := range map[string][][]float32{
		"alike":  clouds(r, 1, 1500, 16, 1),
		"clouds": clouds(r, 20, 75, 12, 0.02),
		"copies": copies,
	} {
		t.Run(name, func(t *testing.T) {
			p := pair{Index: Index{EfConstruction: 100}}
			for _, v := range all {
				p.add(t, v)
			}
			r := rand.New(rand.NewPCG(3, 4))
			var queries [][]float32
			for range 100 {
				q := slices.Clone(all[r.IntN(len(all))])
				for i := range q {
					q[i] += 0.01 * float32(r.NormFloat64())
				}
				queries = append(queries, q)
			}
			if got := p.recall(t, queries, 10); got < 0.95 {
				t.Errorf("recall %v, want 0.95", got)
			}
			for len(p.live) > len(all)/4 {
				p.removeAt(t, r.IntN(len(p.live)))
			}
			p.check(t)
			least := 0.95
			if name == "copies" {
				least = 0.9 // the remaining ones link mostly to their copies
			}
			if got := p.recall(t, queries, 10); got < least {
				t.Errorf("recall %v when most were removed, want %v", got, least)
			}
		})
	}
}

// check checks the invariants of links, and that every vector is found.
func (p *pair) check(t *testing.T) {
	t.Helper()
	g := &p.graph
	for slot, n := range g.nodes {
		for l := range n.out {
			if l == 0 && len(n.in[l]) == 0 && len(p.slots) > 1 {
				t.Fatalf("nothing leads to vector %d", slot)
			}
			if len(n.out[l]) > p.links(l) {
				t.Fatalf("vector %d has %d links on layer %d, want at most %d", slot, len(n.out[l]), l, p.links(l))
			}
			for _, to := range n.out[l] {
				if int(to) == slot || g.nodes[to].id == 0 || !slices.Contains(g.nodes[to].in[l], uint32(slot)) {
					t.Fatalf("vector %d leads to %d on layer %d, which does not know of it", slot, to, l)
				}
			}
			for _, from := range n.in[l] {
				if !slices.Contains(g.nodes[from].out[l], uint32(slot)) {
					t.Fatalf("vector %d does not lead to %d on layer %d, which thinks so", from, slot, l)
				}
			}
		}
	}
	if len(p.slots) > 0 && g.nodes[g.entry].top() != g.nodes[g.highest()].top() {
		t.Fatal("a search does not begin on the top layer")
	}
}

// Random calls give the results of the exact index. In between an index is replaced by one that has read its
// state, and continues in the same way.
func TestRandom(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := &pair{Index: Index{M: 4, EfConstruction: 40, Ef: 40}}
		if err := p.Open(runtime.Env{Seed: seed}); err != nil {
			t.Fatal(err)
		}
		twin := p.Index
		var found float64
		searches := 0
		for range 1200 {
			switch n := len(p.live); {
			case n > 0 && r.IntN(3) == 0:
				at := r.IntN(n)
				if err := twin.Remove(p.live[at]); err != nil {
					t.Fatal(err)
				}
				p.removeAt(t, at)
			case n > 0 && r.IntN(8) == 0:
				q := []float32{r.Float32(), r.Float32(), r.Float32(), r.Float32()}
				found += p.recall(t, [][]float32{q}, 5)
				searches++
			case r.IntN(100) == 0:
				twin = restored(t, &twin)
			default:
				v := []float32{r.Float32(), r.Float32(), r.Float32(), r.Float32()}
				p.add(t, v)
				if _, err := twin.Add(vec(v...)); err != nil {
					t.Fatal(err)
				}
			}
		}
		p.check(t)
		if got := found / float64(searches); got < 0.98 {
			t.Errorf("seed %d: recall %v, want 0.98", seed, got)
		}
		if !bytes.Equal(written(t, &p.Index), written(t, &twin)) {
			t.Errorf("seed %d: an index that was restored has become another one", seed)
		}
		for len(p.live) > 0 {
			p.removeAt(t, 0)
		}
		if ids, _, err := p.Search(vec(1, 2, 3, 4), 3); err != nil || len(ids.Data) > 0 {
			t.Errorf("seed %d: an empty index finds %v (%v)", seed, ids.Data, err)
		}
		p.add(t, []float32{1, 2, 3, 4})
		if got := p.recall(t, [][]float32{{0, 0, 0, 0}}, 3); got != 1 {
			t.Errorf("seed %d: one vector is not found", seed)
		}
	}
}

func written(t *testing.T, x *Index) []byte {
	t.Helper()
	b, err := x.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// restored returns an index of the same configuration that has read the state of another one.
func restored(t *testing.T, x *Index) Index {
	t.Helper()
	y := Index{M: x.M, EfConstruction: x.EfConstruction, Ef: x.Ef, seed: x.seed}
	if err := y.UnmarshalBinary(written(t, x)); err != nil {
		t.Fatal(err)
	}
	return y
}

func TestRefuses(t *testing.T) {
	x := Index{Limit: 2, Bytes: 2000}
	if _, err := x.Add(vec(make([]float32, 1000)...)); err == nil || !strings.Contains(err.Error(), "set Bytes") {
		t.Errorf("a vector of more bytes than the limit: %v", err)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for want, v := range map[string]tensor.Dense[float32]{
		"element 1 of the vector is NaN":  vec(1, nan),
		"element 0 of the vector is -Inf": vec(-inf, 1),
		"a vector of shape [0]":           vec(),
		"a vector of shape [1 2]":         tensor.DenseOf([]float32{1, 2}, 1, 2),
	} {
		if _, err := x.Add(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", v, err, want)
		}
		if _, _, err := x.Search(v, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a search for %v: %v, want %q", v, err, want)
		}
	}
	if ids, _, err := x.Search(vec(1), 5); err != nil || len(ids.Data) > 0 {
		t.Errorf("an index that never had a vector finds %v (%v)", ids.Data, err)
	}
	if _, err := x.Add(vec(1, 2)); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Add(vec(1)); err == nil {
		t.Error("a shorter vector is accepted")
	}
	if _, _, err := x.Search(vec(1, 2, 3), 1); err == nil {
		t.Error("a longer query is accepted")
	}
	for _, k := range []int{-1, 0, math.MaxInt} {
		if ids, _, err := x.Search(vec(1, 2), k); err != nil || len(ids.Data) != min(max(k, 0), 1) {
			t.Errorf("k of %d finds %v (%v)", k, ids.Data, err)
		}
	}
	if _, err := x.Add(vec(1, 2)); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Add(vec(1, 2)); err == nil || !strings.Contains(err.Error(), "holds 2 vectors") {
		t.Errorf("a vector more than the limit: %v", err)
	}
	if err := x.Remove(7); err == nil {
		t.Error("a vector that is not there is removed")
	}
	for _, x := range []Index{{M: 1}, {M: 1 << 20}, {Ef: -1}, {EfConstruction: 1 << 20}, {Limit: -1}, {Bytes: -1}} {
		if err := x.Open(runtime.Env{}); err == nil {
			t.Errorf("%+v is opened", x)
		}
	}
}

// FuzzState reads arbitrary states. An accepted one can be used.
func FuzzState(f *testing.F) {
	var x Index
	empty, err := x.AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(empty)
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		if _, err := x.Add(vec(r.Float32(), r.Float32())); err != nil {
			f.Fatal(err)
		}
	}
	for _, id := range []uint64{3, 17, 40} {
		if err := x.Remove(id); err != nil {
			f.Fatal(err)
		}
	}
	whole, err := x.AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte("\x00\x04\x00\x00\x00\x7f\x00\x00\xff\x00\v\x00\x02\x00\x03\x00\x88\xff\xff\xff\xff\x02\x00\x00\x00")) // no vectors, of a huge dimension
	for n := range whole {
		if err := new(Index).UnmarshalBinary(whole[:n]); err == nil {
			f.Fatalf("the first %d bytes of the state are accepted", n)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var x Index
		if x.UnmarshalBinary(b) != nil {
			return
		}
		v := vec(make([]float32, max(x.graph.dim, 1))...)
		if _, _, err := x.Search(v, 3); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Add(v); err != nil {
			return
		}
		for id := range x.slots {
			if err := x.Remove(id); err != nil {
				t.Fatal(err)
			}
			break
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	var x Index
	all := clouds(rand.New(rand.NewPCG(1, 2)), 1, 20_000, 64, 1)
	for _, v := range all {
		if _, err := x.Add(vec(v...)); err != nil {
			b.Fatal(err)
		}
	}
	for i := 0; b.Loop(); i++ {
		if _, _, err := x.Search(vec(all[i%len(all)]...), 10); err != nil {
			b.Fatal(err)
		}
	}
}

// A search visits few of the vectors.
func TestFew(t *testing.T) {
	x := Index{M: 8, EfConstruction: 40, Ef: 32}
	all := clouds(rand.New(rand.NewPCG(1, 2)), 1, 4000, 8, 1)
	for _, v := range all {
		if _, err := x.Add(vec(v...)); err != nil {
			t.Fatal(err)
		}
	}
	looked := 0
	for _, v := range all[:100] {
		if _, _, err := x.Search(vec(v...), 10); err != nil {
			t.Fatal(err)
		}
		for _, walk := range x.seen {
			if walk == x.walks {
				looked++
			}
		}
	}
	if share := float64(looked) / 100 / float64(len(all)); share > 0.12 {
		t.Errorf("a search looks at %v of the vectors, want 0.12 at most", share)
	}
}
