package hnsw

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/component/internal/vector"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// AppendBinary appends the vectors and their links.
func (x *Index) AppendBinary(b []byte) ([]byte, error) {
	g := &x.graph
	ids := make([]uint64, len(g.nodes))
	var counts, links []uint32 // of each vector the number of its layers, and of each of these how many links
	for i, n := range g.nodes {
		ids[i] = n.id
		counts = append(counts, uint32(len(n.out)))
		for _, out := range n.out {
			counts = append(counts, uint32(len(out)))
			links = append(links, out...)
		}
	}
	b = values.AppendScalar(values.AppendScalar(b, x.next), g.entry)
	b = values.AppendDense(b, tensor.DenseOf(ids, len(ids)))
	b = values.AppendDense(b, tensor.DenseOf(g.data, len(ids), g.dim))
	for _, list := range [][]uint32{g.free, counts, links} {
		b = values.AppendDense(b, tensor.DenseOf(list, len(list)))
	}
	return b, nil
}

// state is the decoded output of AppendBinary, before it is checked.
type state struct {
	next                uint64
	entry               uint32
	ids                 tensor.Dense[uint64]
	data                tensor.Dense[float32]
	free, counts, links tensor.Dense[uint32]
}

// UnmarshalBinary reads the output of AppendBinary.
func (x *Index) UnmarshalBinary(b []byte) error {
	var s state
	f := values.NewFields(b)
	values.ReadScalar(f, &s.next)
	values.ReadScalar(f, &s.entry)
	values.ReadDense(f, &s.ids)
	values.ReadDense(f, &s.data)
	for _, list := range []*tensor.Dense[uint32]{&s.free, &s.counts, &s.links} {
		values.ReadDense(f, list)
	}
	if err := f.End(); err != nil {
		return err
	}
	g, slots, err := s.graph(x)
	if err != nil {
		return err
	}
	x.next, x.graph, x.slots, x.seen = s.next, g, slots, nil
	return nil
}

var errLinks = errors.New("links of another graph")

// graph returns the graph of a state.
func (s *state) graph(x *Index) (g graph, slots map[uint64]uint32, err error) {
	if len(s.data.Shape) != 2 || s.data.Shape[0] != len(s.ids.Data) {
		return g, nil, fmt.Errorf("vectors of shape %v for %d numbers", s.data.Shape, len(s.ids.Data))
	}
	if len(s.ids.Data) == 0 && s.data.Shape[1] != 0 {
		return g, nil, fmt.Errorf("no vectors, of dimension %d", s.data.Shape[1])
	}
	g = graph{dim: s.data.Shape[1], data: s.data.Data, nodes: make([]node, len(s.ids.Data)), free: s.free.Data, entry: s.entry}
	if slots, err = s.number(&g); err == nil {
		err = s.layers(&g)
	}
	if err == nil {
		err = s.link(&g, x)
	}
	if err == nil && len(slots) > 0 && (uint64(g.entry) >= uint64(len(g.nodes)) || g.nodes[g.entry].top() < g.nodes[g.highest()].top()) {
		err = fmt.Errorf("a search begins at vector %d of %d, which is not on the top layer", g.entry, len(g.nodes))
	}
	if err == nil && len(slots) > 0 && !g.isCycle(len(slots)) { // of a version without successors
		g.closeCycle(x.links(0))
	}
	return g, slots, err
}

// number assigns the numbers of the vectors. Each slot without one is free, once.
func (s *state) number(g *graph) (slots map[uint64]uint32, err error) {
	slots = map[uint64]uint32{}
	for i, id := range s.ids.Data {
		if _, twice := slots[id]; twice || id > s.next {
			return nil, fmt.Errorf("vector %d has number %d of %d", i, id, s.next)
		}
		if g.nodes[i].id = id; id == 0 {
			continue
		}
		v := tensor.DenseOf(g.vector(uint32(i)), g.dim)
		if err := vector.Check(v, g.dim); err != nil {
			return nil, fmt.Errorf("vector %d: %w", i, err)
		}
		slots[id] = uint32(i)
	}
	free := slices.Sorted(slices.Values(g.free))
	for i, slot := range free {
		if uint64(slot) >= uint64(len(g.nodes)) || g.nodes[slot].id != 0 || i > 0 && free[i-1] == slot {
			return nil, fmt.Errorf("slot %d of %d is not free", slot, len(g.nodes))
		}
	}
	if len(free)+len(slots) != len(g.nodes) {
		return nil, fmt.Errorf("%d slots for %d vectors and %d that are free", len(g.nodes), len(slots), len(free))
	}
	return slots, nil
}

// layers sets the outgoing links of the vectors; the incoming ones are not known yet.
func (s *state) layers(g *graph) error {
	counts, links := s.counts.Data, s.links.Data
	for i := range g.nodes {
		n := &g.nodes[i]
		if len(counts) == 0 || counts[0] > maxLayers || (counts[0] > 0) != (n.id > 0) || int(counts[0]) > len(counts)-1 {
			return errLinks
		}
		sizes := counts[1 : 1+counts[0]]
		counts = counts[1+counts[0]:]
		n.out, n.in = make([][]uint32, len(sizes)), make([][]uint32, len(sizes))
		for l, size := range sizes {
			if uint64(size) > uint64(len(links)) {
				return errLinks
			}
			n.out[l] = slices.Clone(links[:size])
			links = links[size:]
		}
	}
	if len(counts)+len(links) > 0 {
		return errLinks
	}
	return nil
}

// link checks the targets of links, and records the incoming links.
func (s *state) link(g *graph, x *Index) error {
	for i := range g.nodes {
		for l, out := range g.nodes[i].out {
			if len(out) > x.links(l) {
				return fmt.Errorf("vector %d has %d links on layer %d, want at most %d", i, len(out), l, x.links(l))
			}
			for k, slot := range out {
				if uint64(slot) >= uint64(len(g.nodes)) || int(slot) == i || g.nodes[slot].top() < l || slices.Contains(out[:k], slot) {
					return fmt.Errorf("vector %d leads to %d on layer %d, where that is not, or twice", i, slot, l)
				}
				g.nodes[slot].in[l] = append(g.nodes[slot].in[l], uint32(i))
			}
		}
	}
	return nil
}
