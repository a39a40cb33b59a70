package container

import (
	"math/rand/v2"
	"testing"
)

// A table behaves like a map, also when all keys have one of a few hashes.
func TestTable(t *testing.T) {
	for _, spread := range []uint64{1, 7, 1 << 40} {
		r := rand.New(rand.NewPCG(spread, 0))
		var tab Table[uint64, int]
		want := map[uint64]int{}
		for i := range 20000 {
			k := r.Uint64N(200)
			hash := k%spread | 1<<63
			if r.IntN(3) == 0 {
				tab.Remove(hash, k)
				delete(want, k)
			} else {
				tab.Put(hash, k, i)
				want[k] = i
			}
			k = r.Uint64N(200)
			v, ok := tab.Get(k%spread|1<<63, k)
			if w, there := want[k]; v != w || ok != there || tab.n != len(want) {
				t.Fatalf("step %d, hashes of %d kinds: key %d has %d, %v among %d, want %d, %v among %d", i, spread, k, v, ok, tab.n, w, there, len(want))
			}
		}
	}
}
