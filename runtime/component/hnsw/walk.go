package hnsw

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/runtime/component/internal/vector"
)

// near is a vector and the square of its distance from the query.
type near struct {
	square float64
	slot   uint32
}

// nearest orders vectors by their distance; of equals the lower slot comes first.
func nearest(a, b near) int {
	return cmp.Or(cmp.Compare(a.square, b.square), cmp.Compare(a.slot, b.slot))
}

// descend returns the nearest vector to a query that a search finds on the layers above one.
func (x *Index) descend(q []float32, layer int) uint32 {
	g := &x.graph
	at := near{vector.Square(g.vector(g.entry), q), g.entry}
	for l := g.nodes[g.entry].top(); l > layer; l-- {
		for moved := true; moved; {
			moved = false
			for _, slot := range g.nodes[at.slot].out[l] {
				if d := vector.Square(g.vector(slot), q); d < at.square {
					at, moved = near{d, slot}, true
				}
			}
		}
	}
	return at.slot
}

// walk finds the ef nearest vectors to a query on a layer, beginning at one of them. The next walk overwrites
// the result.
func (x *Index) walk(q []float32, entry uint32, ef, layer int) []near {
	g := &x.graph
	first := near{vector.Square(g.vector(entry), q), entry}
	x.begin()
	x.visit(entry)
	x.queue = queue{list: append(x.queue.list[:0], first)}
	x.nearest = queue{list: append(x.nearest.list[:0], first), farthest: true}
	for len(x.queue.list) > 0 {
		at := x.queue.pop()
		if len(x.nearest.list) >= ef && at.square > x.nearest.list[0].square {
			break
		}
		for _, slot := range g.nodes[at.slot].out[layer] {
			if !x.visit(slot) {
				continue
			}
			n := near{vector.Square(g.vector(slot), q), slot}
			if len(x.nearest.list) >= ef {
				if n.square >= x.nearest.list[0].square {
					continue
				}
				x.nearest.pop()
			}
			x.queue.push(n)
			x.nearest.push(n)
		}
	}
	return x.nearest.list
}

// begin clears the visits of the last walk.
func (x *Index) begin() {
	if x.walks++; x.walks == 0 { // numbers begin again
		clear(x.seen)
		x.walks = 1
	}
	if n := len(x.graph.nodes); len(x.seen) < n {
		x.seen = slices.Grow(x.seen, n-len(x.seen))[:n]
	}
}

// visit reports whether a walk visits a slot for the first time.
func (x *Index) visit(slot uint32) bool {
	fresh := x.seen[slot] != x.walks
	x.seen[slot] = x.walks
	return fresh
}
