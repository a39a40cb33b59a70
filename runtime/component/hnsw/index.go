// Package hnsw implements the role Index for many vectors: a search visits a small part of them and finds
// almost all of the nearest. It is the graph of Yu. A. Malkov and D. A. Yashunin, "Efficient and robust
// approximate nearest neighbor search using Hierarchical Navigable Small World graphs", 2018.
//
// Each vector is on the lowest layer, and on each higher layer with probability 1/M of the layer below. It has
// links to near vectors of its layers. A search walks on the top layer to the nearest vector, continues from
// there on the layer below, and keeps the Ef nearest on the lowest layer. There, one link of each vector is part of a cycle
// through all of them, which the paper does not have: removed and equal vectors cannot divide the graph, and a search for k
// vectors finds k if there are so many. Package flat is the exact index.
package hnsw

import (
	"cmp"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/vector"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Index holds vectors of one length under the numbers that it assigned to them. The result of a sequence of
// calls follows from the seed.
type Index struct {
	M              int // links of a vector on a layer; the lowest has twice as many; 0: 16
	EfConstruction int // near vectors that links are chosen from; 0: 200
	Ef             int // near vectors that a search keeps, at least k; 0: 64
	Limit          int // vectors; 0: a million
	Bytes          int // that vectors and links may take; 0: 1 GiB

	seed  uint64
	graph graph
	next  uint64 // the number of the latest vector
	slots map[uint64]uint32

	seen    []uint32 // by slot: the last walk that visited it
	walks   uint32
	near    []near // scratch of choose
	hits    []vector.Hit
	queue   queue
	nearest queue
}

// Maximum values of the configuration.
const (
	maxM  = 256
	maxEf = 1 << 16
)

const (
	defaultM              = 16
	defaultEfConstruction = 200
	defaultEf             = 64
	defaultLimit          = 1 << 20
	defaultBytes          = 1 << 30
)

func (x *Index) m() int              { return cmp.Or(x.M, defaultM) }
func (x *Index) efConstruction() int { return cmp.Or(x.EfConstruction, defaultEfConstruction) }
func (x *Index) ef() int             { return cmp.Or(x.Ef, defaultEf) }
func (x *Index) limit() int          { return min(cmp.Or(x.Limit, defaultLimit), math.MaxInt32) }
func (x *Index) bytes() int          { return cmp.Or(x.Bytes, defaultBytes) }

// Open checks the configuration, and takes the seed of the peer.
func (x *Index) Open(env runtime.Env) error {
	if x.m() < 2 || x.m() > maxM {
		return fmt.Errorf("hnsw.Index: M is %d, want 2 to %d", x.M, maxM)
	}
	if x.efConstruction() < 1 || x.efConstruction() > maxEf || x.ef() < 1 || x.ef() > maxEf {
		return fmt.Errorf("hnsw.Index: EfConstruction is %d and Ef %d, want at most %d, and none below 0", x.EfConstruction, x.Ef, maxEf)
	}
	if x.Limit < 0 || x.Bytes < 0 {
		return fmt.Errorf("hnsw.Index: Limit is %d and Bytes %d, want 0 or more", x.Limit, x.Bytes)
	}
	x.seed = runtime.SeedOf(env.Seed, env.Class, env.Rank)
	return nil
}

// Len returns the number of vectors.
func (x *Index) Len() int { return len(x.slots) }

// Add adds a vector and returns its number.
func (x *Index) Add(v tensor.Dense[float32]) (uint64, error) {
	if err := vector.Check(v, x.graph.dim); err != nil {
		return 0, err
	}
	if n := len(x.slots); n >= x.limit() {
		return 0, fmt.Errorf("the index holds %d vectors already", n)
	}
	if size := x.size(len(v.Data)); (len(x.slots)+1)*size > x.bytes() {
		return 0, fmt.Errorf("the index holds %d vectors of about %d bytes already, and may take %d bytes: set Bytes", len(x.slots), size, x.bytes())
	}
	if x.slots == nil {
		x.slots = map[uint64]uint32{}
	}
	x.graph.dim = len(v.Data)
	x.next++
	slot := x.graph.place(x.next, v.Data, x.layers(x.next))
	x.slots[x.next] = slot
	x.insert(slot)
	return x.next, nil
}

// size returns the approximate size of a vector: its elements, links in both directions on the lowest layer and
// on part of those above, and the table entries.
func (x *Index) size(dim int) int { return 4*dim + 24*x.m() + 200 }

// Search finds the k vectors with the smallest Euclidean distance to a query, the nearest first, for equal
// distances the one that was added first; fewer if there are fewer. Some results may be slightly farther away
// than others that were missed: fewer, the larger Ef is.
func (x *Index) Search(q tensor.Dense[float32], k int) (ids tensor.Dense[uint64], distances tensor.Dense[float32], err error) {
	if err := vector.Check(q, x.graph.dim); err != nil {
		return ids, distances, err
	}
	k = min(max(k, 0), len(x.slots))
	x.hits = x.hits[:0]
	if k > 0 {
		entry := x.descend(q.Data, 0)
		for _, n := range x.walk(q.Data, entry, max(x.ef(), k), 0) {
			x.hits = append(x.hits, vector.Hit{ID: x.graph.nodes[n.slot].id, Distance: float32(math.Sqrt(n.square))})
		}
	}
	vector.Sort(x.hits)
	ids, distances = vector.Result(x.hits, k)
	return ids, distances, nil
}

// Remove removes a vector, and links the vectors that linked to it with those to which it linked.
func (x *Index) Remove(id uint64) error {
	slot, ok := x.slots[id]
	if !ok {
		return fmt.Errorf("there is no vector %d", id)
	}
	delete(x.slots, id)
	x.remove(slot)
	return nil
}

// Train does nothing.
func (x *Index) Train(tensor.Dense[float32]) error { return nil }
