package hnsw

import (
	"math/rand/v2"
	"slices"

	"github.com/bbgen/bbgen/runtime/component/internal/vector"
)

// maxLayers is enough for a million million vectors.
const maxLayers = 40

// layers returns the number of layers of a vector: more than l with a probability of M to the power of -l. It
// depends only on the seed and the vector's number.
func (x *Index) layers(id uint64) int {
	r := rand.New(rand.NewPCG(x.seed, id))
	n := 1
	for n < maxLayers && r.IntN(x.m()) == 0 {
		n++
	}
	return n
}

// links returns the maximum number of links of a vector on a layer.
func (x *Index) links(layer int) int {
	if layer == 0 {
		return 2 * x.m()
	}
	return x.m()
}

// insert links a vector with near ones, on each of its layers.
func (x *Index) insert(slot uint32) {
	g := &x.graph
	top := g.nodes[slot].top()
	if len(x.slots) == 1 {
		g.entry = slot
		return
	}
	q := g.vector(slot)
	entry := x.descend(q, top)
	for layer := min(top, g.nodes[g.entry].top()); layer >= 0; layer-- {
		to := x.choose(slot, x.walk(q, entry, x.efConstruction(), layer), x.m())
		if layer == 0 {
			x.connect(to[0], layer, g.follow(to[0], slot))
		}
		x.connect(slot, layer, to...)
		for _, other := range to {
			x.connect(other, layer, slot)
		}
		x.adopt(slot, layer)
		entry = to[0]
	}
	if top > g.nodes[g.entry].top() {
		g.entry = slot
	}
}

// connect adds links of one vector to others. If there are too many, it keeps the best, and the one to its successor.
func (x *Index) connect(from uint32, layer int, to ...uint32) {
	g := &x.graph
	all := slices.Clone(g.nodes[from].out[layer])
	for _, slot := range to {
		if slot != from && !slices.Contains(all, slot) {
			all = append(all, slot)
		}
	}
	if most := x.links(layer); len(all) > most {
		first := 0
		if layer == 0 {
			first = 1
		}
		chosen := x.choose(from, x.measure(from, all[first:]), most-first)
		g.keep(from, layer, all[first:], chosen)
		all = append(all[:first:first], chosen...)
	}
	g.link(from, layer, all)
}

// keep puts vectors without links to them among the chosen ones, in place of the farthest: otherwise a search
// would not find them. Vectors with an existing link come first, and have room.
func (g *graph) keep(from uint32, layer int, all, chosen []uint32) {
	old := g.nodes[from].out[layer]
	if layer == 0 {
		old = old[1:] // without the successor
	}
	lonely := func(slot uint32) bool {
		return !slices.ContainsFunc(g.nodes[slot].in[layer], func(s uint32) bool { return s != from })
	}
	at := len(chosen) - 1
	for i, slot := range all {
		if slices.Contains(chosen, slot) || !lonely(slot) {
			continue
		}
		for at >= 0 && lonely(chosen[at]) && (i >= len(old) || slices.Contains(old, chosen[at])) {
			at--
		}
		if at < 0 {
			return
		}
		chosen[at] = slot
		at--
	}
}

// measure returns the distances of other vectors from one.
func (x *Index) measure(from uint32, others []uint32) []near {
	x.near = x.near[:0]
	q := x.graph.vector(from)
	for _, slot := range others {
		x.near = append(x.near, near{vector.Square(x.graph.vector(slot), q), slot})
	}
	return x.near
}

// choose selects the links of a vector among near ones: first those that are nearer to it than to any that was
// chosen before, which keeps links in all directions, then the nearest of the others. It is algorithm 4 of the
// paper, in which equal vectors count as one direction. It sorts its argument.
func (x *Index) choose(from uint32, some []near, most int) []uint32 {
	g := &x.graph
	slices.SortFunc(some, nearest)
	var chosen, others []uint32
	for _, n := range some {
		if len(chosen) == most {
			return chosen
		}
		if n.slot == from {
			continue
		}
		closer := func(c uint32) bool {
			d := vector.Square(g.vector(c), g.vector(n.slot))
			return d == 0 || d < n.square
		}
		if slices.ContainsFunc(chosen, closer) {
			others = append(others, n.slot)
		} else {
			chosen = append(chosen, n.slot)
		}
	}
	return append(chosen, others[:min(len(others), most-len(chosen))]...)
}

// remove removes a vector from all layers. On each layer, the vectors that linked to it link to those to which
// it linked, if these are near enough.
func (x *Index) remove(slot uint32) {
	g := &x.graph
	gone := g.nodes[slot]
	for layer := range gone.out {
		behind := slices.Clone(gone.out[layer])
		before := slices.Clone(gone.in[layer])
		slices.Sort(before) // a restored index has them in another order
		if layer == 0 {
			g.skip(slot)
		}
		g.link(slot, layer, nil)
		for _, from := range before {
			drop(&g.nodes[from].out[layer], slot)
			x.connect(from, layer, behind...)
		}
		for _, other := range behind {
			x.adopt(other, layer)
		}
	}
	g.leave(slot)
	if slot == g.entry && len(x.slots) > 0 {
		g.entry = g.highest()
	}
}

// adopt adds a link to a vector without one: from the nearest vector that is found and has room.
func (x *Index) adopt(slot uint32, layer int) {
	g := &x.graph
	if len(g.nodes[slot].in[layer]) > 0 {
		return
	}
	by := slices.Clone(x.walk(g.vector(slot), slot, x.efConstruction(), layer))
	slices.SortFunc(by, nearest)
	for i := 0; len(g.nodes[slot].in[layer]) == 0 && i < len(by); i++ {
		x.connect(by[i].slot, layer, slot)
	}
}
