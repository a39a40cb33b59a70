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
