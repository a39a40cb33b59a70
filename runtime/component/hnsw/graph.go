package hnsw

import "slices"

// graph is vectors and the links between them. A slot is the index of a vector; slots of removed vectors are
// reused.
type graph struct {
	dim   int // of the vectors; 0 before the first
	data  []float32
	nodes []node
	free  []uint32
	entry uint32 // a vector on the top layer, if there is any vector
}

// node is a vector's number and its links, by layer. One without a number is free.
//
// Invariant: b is among the vectors that a leads to on a layer if and only if a is among
// those that lead to b.
//
// Invariant: the first link of each vector on the lowest layer leads to its successor. If there are several vectors, the
// successors are a cycle through all of them: so a search can reach each one, whatever was removed and however many are equal.
type node struct {
	id      uint64
	out, in [][]uint32
}

func (n *node) top() int { return len(n.out) - 1 }

func (g *graph) vector(slot uint32) []float32 {
	at := int(slot) * g.dim
	return g.data[at : at+g.dim : at+g.dim]
}

// place assigns a slot to a vector. It has no links yet.
func (g *graph) place(id uint64, v []float32, layers int) uint32 {
	n := node{id: id, out: make([][]uint32, layers), in: make([][]uint32, layers)}
	if last := len(g.free) - 1; last >= 0 {
		slot := g.free[last]
		g.free = g.free[:last]
		g.nodes[slot] = n
		copy(g.vector(slot), v)
		return slot
	}
	g.nodes, g.data = append(g.nodes, n), append(g.data, v...)
	return uint32(len(g.nodes) - 1)
}

// leave frees a slot. No link may lead to it.
func (g *graph) leave(slot uint32) {
	g.nodes[slot] = node{}
	g.free = append(g.free, slot)
}

// link sets the links of a vector on a layer.
func (g *graph) link(from uint32, layer int, to []uint32) {
	out := &g.nodes[from].out[layer]
	for _, old := range *out {
		if !slices.Contains(to, old) {
			drop(&g.nodes[old].in[layer], from)
		}
	}
	for _, slot := range to {
		if !slices.Contains(*out, slot) {
			g.nodes[slot].in[layer] = append(g.nodes[slot].in[layer], from)
		}
	}
	*out = append((*out)[:0], to...)
}

// follow makes a vector the successor of another one, from which it takes its successor.
func (g *graph) follow(after, slot uint32) (next uint32) {
	next = after
	if out := g.nodes[after].out[0]; len(out) > 0 {
		next = out[0]
	}
	g.setNext(slot, next)
	g.setNext(after, slot)
	return next
}

// skip makes the successor of a vector that of its predecessor.
func (g *graph) skip(slot uint32) {
	n := &g.nodes[slot]
	if len(n.out[0]) == 0 {
		return
	}
	i := slices.IndexFunc(n.in[0], func(s uint32) bool { return g.nodes[s].out[0][0] == slot })
	g.setNext(n.in[0][i], n.out[0][0])
}

// setNext replaces the successor of a vector. A vector that is its own has none.
func (g *graph) setNext(from, next uint32) {
	var out []uint32
	if from != next {
		out = append(out, next)
	}
	if old := g.nodes[from].out[0]; len(old) > 0 {
		for _, slot := range old[1:] {
			if slot != next {
				out = append(out, slot)
			}
		}
	}
	g.link(from, 0, out)
}

// isCycle reports whether the successors of all vectors are a cycle.
func (g *graph) isCycle(vectors int) bool {
	slot := g.entry
	for range vectors - 1 {
		if out := g.nodes[slot].out[0]; len(out) == 0 || out[0] == g.entry {
			return false
		}
		slot = g.nodes[slot].out[0][0]
	}
	out := g.nodes[slot].out[0]
	return vectors == 1 || len(out) > 0 && out[0] == g.entry
}

// closeCycle makes each vector the successor of the one before. One that has the maximum number of links loses its last.
func (g *graph) closeCycle(most int) {
	from := g.entry
	for i := range g.nodes {
		slot := (g.entry + uint32(i) + 1) % uint32(len(g.nodes))
		if g.nodes[slot].id == 0 || slot == from {
			continue
		}
		out := slices.DeleteFunc(slices.Clone(g.nodes[from].out[0]), func(s uint32) bool { return s == slot })
		g.link(from, 0, append([]uint32{slot}, out[:min(len(out), most-1)]...))
		from = slot
	}
}

// drop removes a slot from a list.
func drop(list *[]uint32, slot uint32) {
	*list = slices.DeleteFunc(*list, func(s uint32) bool { return s == slot })
}

// highest returns a vector on the highest nonempty layer, the first of several. There must be a vector.
func (g *graph) highest() uint32 {
	best, top := uint32(0), -1
	for i := range g.nodes {
		if t := g.nodes[i].top(); t > top {
			best, top = uint32(i), t
		}
	}
	return best
}
