package hnsw

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
)

// checkCycle checks that the first links on the lowest layer are a cycle through all vectors.
func checkCycle(t *testing.T, x *Index) {
	t.Helper()
	g := &x.graph
	if len(x.slots) < 2 {
		for _, slot := range x.slots {
			if len(g.nodes[slot].out[0]) > 0 {
				t.Fatalf("the only vector leads to %v", g.nodes[slot].out[0])
			}
		}
		return
	}
	seen, slot := 0, g.entry
	for seen < len(x.slots) {
		if seen++; len(g.nodes[slot].out[0]) == 0 {
			t.Fatalf("vector %d has no successor", slot)
		}
		if slot = g.nodes[slot].out[0][0]; slot == g.entry {
			break
		}
	}
	if seen != len(x.slots) || slot != g.entry {
		t.Fatalf("a cycle of %d of %d vectors, which ends at %d and begins at %d", seen, len(x.slots), slot, g.entry)
	}
}

// checkComplete checks that a search for all vectors finds all, with their distances.
func (p *pair) checkComplete(t *testing.T, q []float32) {
	t.Helper()
	got, gotAt, err := p.Search(vec(q...), len(p.live)+7)
	if err != nil {
		t.Fatal(err)
	}
	want, wantAt, err := p.exact.Search(vec(q...), len(p.live)+7)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Data, want.Data) || !slices.Equal(gotAt.Data, wantAt.Data) {
		t.Fatalf("%d of %d vectors are found, or in another order", len(got.Data), len(want.Data))
	}
}

// kinds are vectors that are hard to keep connected.
func kinds(r *rand.Rand, n int) map[string][][]float32 {
	all := map[string][][]float32{"equal": nil, "two places": nil, "a line": nil, "copies of each": nil, "far clouds": nil, "random": nil}
	for i := range n {
		all["equal"] = append(all["equal"], []float32{1, 2})
		all["two places"] = append(all["two places"], []float32{float32(i%2) * 1e6, 0})
		all["a line"] = append(all["a line"], []float32{float32(i), 0})
		all["copies of each"] = append(all["copies of each"], []float32{float32(i / 30), 3})
		all["far clouds"] = append(all["far clouds"], []float32{float32(i%7)*1e5 + r.Float32(), r.Float32()})
		all["random"] = append(all["random"], []float32{r.Float32(), r.Float32()})
	}
	return all
}

// orders are orders in which vectors are removed: indices of those that are left.
var orders = map[string]func(r *rand.Rand, left int) int{
	"the first": func(_ *rand.Rand, _ int) int { return 0 },
	"the last":  func(_ *rand.Rand, left int) int { return left - 1 },
	"any":       func(r *rand.Rand, left int) int { return r.IntN(left) },
	"around":    func(_ *rand.Rand, left int) int { return left / 2 },
}

// TestAllAreFound: as long as vectors are removed, in any order, a search for as many as there are finds all of them.
func TestAllAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for kind, all := range kinds(r, 200) {
		for order, next := range orders {
			t.Run(kind+", "+order, func(t *testing.T) {
				p := pair{Index: Index{M: 2 + r.IntN(3), EfConstruction: 8, Ef: 4}}
				if err := p.Open(runtime.Env{Seed: 1}); err != nil {
					t.Fatal(err)
				}
				for _, v := range all {
					p.add(t, v)
				}
				for len(p.live) > 0 {
					if len(p.live)%13 == 0 {
						checkCycle(t, &p.Index)
						p.checkComplete(t, all[r.IntN(len(all))])
					}
					p.removeAt(t, next(r, len(p.live)))
				}
			})
		}
	}
}

// TestEveryOther: of many equal vectors every other one is removed, and all that are left are found.
func TestEveryOther(t *testing.T) {
	p := pair{Index: Index{M: 4, Ef: 400}}
	for range 300 {
		p.add(t, []float32{1, 2, 3})
	}
	for i := 0; i < len(p.live); i++ {
		p.removeAt(t, i)
	}
	p.check(t)
	p.checkComplete(t, []float32{1, 2, 3})
}

// TestChanges: vectors come and go, many of them equal, and the index is restored in between. A search for all finds all.
func TestChanges(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 8))
		p := &pair{Index: Index{M: 2 + r.IntN(4), EfConstruction: 1 + r.IntN(20), Ef: 1 + r.IntN(20)}}
		if err := p.Open(runtime.Env{Seed: seed}); err != nil {
			t.Fatal(err)
		}
		places := 1 + r.IntN(30)
		grows := 8
		for i := range 600 {
			if i%100 == 0 {
				grows = 4 + r.IntN(10)
			}
			if n := len(p.live); n > 0 && r.IntN(16) > grows {
				p.removeAt(t, r.IntN(n))
			} else {
				p.add(t, []float32{float32(r.IntN(places)), float32(r.IntN(2))})
			}
			if r.IntN(50) == 0 {
				p.Index = restored(t, &p.Index)
			}
			if r.IntN(10) == 0 {
				checkCycle(t, &p.Index)
				p.checkComplete(t, []float32{float32(r.IntN(places)), 0.5})
			}
		}
		p.check(t)
	}
}

// TestRecallAfterDeletion: when nine of ten vectors were removed, and others were added in between, almost all of the nearest are found.
func TestRecallAfterDeletion(t *testing.T) {
	const least = 0.95 // what is found depends on the order of the vectors, and on how the processor rounds
	for seed, name := range []string{"alike", "clouds"} {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		all := clouds(r, 1, 2000, 12, 1)
		if name == "clouds" {
			all = clouds(r, 40, 50, 8, 0.05)
		}
		p := pair{Index: Index{M: 8, EfConstruction: 64, Ef: 64}}
		for _, v := range all {
			p.add(t, v)
		}
		for range 1000 { // as many as before, of which most are gone once
			p.removeAt(t, r.IntN(len(p.live)))
			p.add(t, all[r.IntN(len(all))])
		}
		for len(p.live) > len(all)/10 {
			p.removeAt(t, r.IntN(len(p.live)))
		}
		p.check(t)
		var queries [][]float32
		for range 100 {
			queries = append(queries, all[r.IntN(len(all))])
		}
		if got := p.recall(t, queries, 10); got < least {
			t.Errorf("%s: recall %v, want %v", name, got, least)
		}
	}
}

// TestStateWithoutCycle: the state of an earlier version, whose first links are not a cycle, is read, and all of its vectors are found.
func TestStateWithoutCycle(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 6))
		p := &pair{Index: Index{M: 2, EfConstruction: 8, Ef: 8}}
		if err := p.Open(runtime.Env{Seed: seed}); err != nil {
			t.Fatal(err)
		}
		for range 1 + r.IntN(60) {
			p.add(t, []float32{float32(r.IntN(9)), float32(r.IntN(3))})
		}
		for range r.IntN(len(p.live)) {
			p.removeAt(t, r.IntN(len(p.live)))
		}
		g := &p.graph
		for _, slot := range p.slots { // links in another order, and fewer
			out := slices.Clone(g.nodes[slot].out[0])
			r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
			g.link(slot, 0, out[:r.IntN(len(out)+1)])
		}
		p.Index = restored(t, &p.Index)
		checkCycle(t, &p.Index)
		p.check(t)
		p.checkComplete(t, []float32{1, 1})
		for len(p.live) > 0 {
			p.removeAt(t, r.IntN(len(p.live)))
			checkCycle(t, &p.Index)
		}
	}
}
