package collective

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// BenchmarkAllReduce sums 16 MiB on four ranks, to measure the costs of the state machines without a network.
func BenchmarkAllReduce(b *testing.B) {
	for _, a := range []Algorithm{Direct, Tree, Halving, Ring, Pairwise} {
		b.Run(a.String(), func(b *testing.B) {
			const ranks, size = 4, 16 << 20
			var groups [ranks]*Group
			for r := range groups {
				g, err := New(Config{Self: r, Ranks: ranks, Streams: []Spec{{Elem: tensor.Float32, Algorithm: a}}})
				if err != nil {
					b.Fatal(err)
				}
				groups[r] = g
			}
			v := tensor.NewDense[float32](size / 4)
			clear(v.Data)
			b.SetBytes(ranks * size)
			for b.Loop() {
				sumAll(b, groups[:], Value{Rows: 1, Row: size / 4, Data: tensor.Raw(v.Data), Memory: v.Memory()})
			}
		})
	}
}

// sumAll runs one call of all groups to its end.
func sumAll(b *testing.B, groups []*Group, v Value) {
	for _, g := range groups {
		if err := g.Begin(0, v); err != nil {
			b.Fatal(err)
		}
	}
	for more := true; more; {
		more = false
		for from, g := range groups {
			for to := range groups {
				if m, ok := g.Pull(to); ok {
					more = true
					if err := groups[to].Receive(from, &m); err != nil {
						b.Fatal(err)
					}
				}
			}
			for r, ok := g.Done(); ok; r, ok = g.Done() {
				if r.Err != nil {
					b.Fatal(r.Err)
				}
				r.Memory.Release()
			}
		}
	}
}
